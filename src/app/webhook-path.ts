/** Probot's default. It stands in the App's settings on GitHub too, so it is no setting here. */
export const WEBHOOK_PATH = "/api/github/webhooks";
