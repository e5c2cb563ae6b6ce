/** Names under which systems have a browser that the tests can drive. */
export const BROWSERS = ["chromium", "chromium-browser", "google-chrome"] as const;
