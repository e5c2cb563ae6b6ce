import { Refusal } from "../model/refusal.ts";
import { type Args, type Kind, kindOf } from "./run-operation.ts";

type Page<T> = { readonly nodes: readonly T[]; readonly start: number; readonly total: number };

/** What GitHub calls a connection: one page of a list, and where the next one begins. */
export function connection<C>(name: string, of: Kind<C>): Kind<C> {
  const pageInfo = kindOf<Page<unknown>, C>("PageInfo", {
    hasNextPage: { resolve: ({ nodes, start, total }) => start + nodes.length < total },
    endCursor: {
      resolve: ({ nodes, start }) => (nodes.length === 0 ? null : cursor(start + nodes.length)),
    },
  });
  return kindOf<Page<unknown>, C>(name, {
    totalCount: { resolve: ({ total }) => total },
    nodes: { of, resolve: ({ nodes }) => nodes },
    pageInfo: { of: pageInfo, resolve: (page) => page },
  });
}

export function paged<T>(items: readonly T[], { first, last, after }: Args, name: string): Page<T> {
  const most = first ?? last;
  if (most === undefined || most === null)
    throw new Refusal(
      422,
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  const size = Number(most);
  if (size < 1 || size > 100)
    throw new Refusal(
      422,
      `Requesting ${size} records on the \`${name}\` connection exceeds the \`first\` limit of 100 records.`,
    );
  if (first === undefined || first === null) {
    const from = Math.max(0, items.length - size);
    return { nodes: items.slice(from), start: from, total: items.length };
  }
  const start = after === undefined || after === null ? 0 : place(String(after));
  return { nodes: items.slice(start, start + size), start, total: items.length };
}

function cursor(end: number): string {
  return Buffer.from(`cursor:${end}`).toString("base64");
}

function place(text: string): number {
  const end = /^cursor:(\d+)$/.exec(Buffer.from(text, "base64").toString())?.[1];
  if (end === undefined) throw new Refusal(422, `\`${text}\` does not appear to be a valid cursor.`);
  return Number(end);
}
