import { Webhooks } from "@octokit/webhooks";
import { type Listening, listen } from "../../playground/listen.ts";

export type Received = {
  readonly guid: string;
  readonly event: string;
  readonly payload: { readonly action?: string } & Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** By the same library that a real App uses. */
  readonly genuine: boolean;
};

export type Receiver = Pick<Listening, "url" | "close"> & {
  readonly received: Received[];
  /** Event and action of all that came, in order. */
  names(): string[];
  /** Resolves when a webhook of this name has come. */
  whenReceived(name: string): Promise<void>;
  /** What is answered; may wait. */
  answer: (webhook: Received) => number | Promise<number>;
};

export const SECRET = "between us";

/** An App's side of webhooks: a real server that checks signatures. */
export async function startReceiver(): Promise<Receiver> {
  const webhooks = new Webhooks({ secret: SECRET });
  const received: Received[] = [];
  let waiting: { name: string; resolve: () => void }[] = [];
  const nameOf = ({ event, payload }: Received): string =>
    payload.action === undefined ? event : `${event} ${payload.action}`;
  const { url, close } = await listen(0, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    const webhook: Received = {
      guid: `${req.headers["x-github-delivery"]}`,
      event: `${req.headers["x-github-event"]}`,
      payload: JSON.parse(body) as Received["payload"],
      headers: req.headers,
      genuine: await webhooks.verify(body, `${req.headers["x-hub-signature-256"]}`),
    };
    received.push(webhook);
    for (const one of waiting) if (one.name === nameOf(webhook)) one.resolve();
    waiting = waiting.filter((one) => one.name !== nameOf(webhook));
    res.writeHead(await receiver.answer(webhook)).end();
  });
  const receiver: Receiver = {
    url,
    close,
    received,
    names: () => received.map(nameOf),
    async whenReceived(name) {
      if (received.some((webhook) => nameOf(webhook) === name)) return;
      await new Promise<void>((resolve) => waiting.push({ name, resolve }));
    },
    answer: () => 202,
  };
  return receiver;
}
