import { Octokit } from "@octokit/rest";
import * as z from "zod";

const appShape = z.object({
  id: z.int().positive(),
  html_url: z.url(),
  pem: z.string().min(1),
  webhook_secret: z.string().min(1),
});
export type RegisteredApp = z.infer<typeof appShape>;

/** Trades the code that GitHub hands out once for the App's key and secret. Nobody is signed in yet: the code is enough. */
export async function convertManifestCode(baseUrl: string, code: string): Promise<RegisteredApp> {
  // Its own log would go to the terminal around ours.
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const { data } = await new Octokit({ baseUrl, log: silent }).rest.apps.createFromManifest({ code });
  return appShape.parse(data);
}
