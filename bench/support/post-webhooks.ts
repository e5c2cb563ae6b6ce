import { createHmac, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { WEBHOOK_PATH } from "../../src/app/webhook-path.ts";

export type Posting = {
  /** Sends so many, so many at a time; one duration for each, and what the whole took. */
  send(count: number, atOnce: number): Promise<{ readonly each: readonly number[]; readonly ms: number }>;
  close(): void;
};

/** A GitHub that does nothing but send the same signed webhook under new ids. */
export function openPosting(port: number, secret: string, body: string): Posting {
  const agent = new Agent({ keepAlive: true });
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

  function post(): Promise<number> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent,
          port,
          host: "127.0.0.1",
          method: "POST",
          path: WEBHOOK_PATH,
          headers: {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
            "x-github-event": "issue_comment",
            "x-github-delivery": randomUUID(),
            "x-hub-signature-256": signature,
          },
        },
        (response) => {
          response.resume();
          response.on("end", () => {
            if (response.statusCode === 200) resolve(performance.now() - started);
            else reject(new Error(`a webhook was answered with ${response.statusCode}`));
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  return {
    async send(count, atOnce) {
      const each: number[] = [];
      const started = performance.now();
      let left = count;
      const sendOn = async (): Promise<void> => {
        while (left-- > 0) each.push(await post());
      };
      await Promise.all(Array.from({ length: atOnce }, sendOn));
      return { each, ms: performance.now() - started };
    },
    close: () => agent.destroy(),
  };
}
