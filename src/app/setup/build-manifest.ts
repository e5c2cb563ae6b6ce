import * as z from "zod";
import { WEBHOOK_PATH } from "../webhook-path.ts";

const manifestShape = z.looseObject({
  name: z.string(),
  default_permissions: z.record(z.string(), z.string()),
  default_events: z.array(z.string()),
});
export type Manifest = z.infer<typeof manifestShape>;

/** What GitHub makes an App from: app.yml, and the addresses of this server. */
export function buildManifest(
  appFile: unknown,
  options: { baseUrl: string; hookUrl: string | null },
): Manifest {
  return {
    // GitHub wants a homepage.
    url: options.baseUrl,
    ...manifestShape.parse(appFile),
    hook_attributes: { url: options.hookUrl ?? `${options.baseUrl}${WEBHOOK_PATH}`, active: true },
    redirect_url: `${options.baseUrl}/probot/setup`,
  };
}
