import type { Answer, Call } from "./call.ts";

/** One page of a list, with GitHub's Link header. `wrap` puts it into an object that also counts. */
export async function paginate<T>(
  call: Call,
  items: readonly T[],
  shape: (item: T) => unknown,
  wrap: (page: unknown[], total: number) => unknown = (page) => page,
): Promise<Answer> {
  const size = Math.min(100, positive(call.query.per_page) ?? 30);
  const page = positive(call.query.page) ?? 1;
  const last = Math.max(1, Math.ceil(items.length / size));
  const shown = items.slice((page - 1) * size, page * size);
  const shapes = await Promise.all(shown.map(shape));
  const link = linkHeader(call.address, { page, last });
  return { status: 200, body: wrap(shapes, items.length), ...(link && { headers: { link } }) };
}

function positive(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

function linkHeader(address: URL, { page, last }: { page: number; last: number }): string | null {
  const to = (number: number, rel: string) => {
    const url = new URL(address);
    url.searchParams.set("page", String(number));
    return `<${url}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [to(Math.min(page - 1, last), "prev")] : []),
    ...(page < last ? [to(page + 1, "next"), to(last, "last")] : []),
    ...(page > 1 ? [to(1, "first")] : []),
  ];
  return links.length > 0 ? links.join(", ") : null;
}
