import type { App } from "../types.ts";

/** Its owner changes where the App hears of things: often known only once the App runs. null: nowhere. */
export function setWebhookUrl(app: App, url: string | null): void {
  app.webhookUrl = url;
}
