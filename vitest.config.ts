import { defineConfig } from "vitest/config";

/** Pure functions and values: no file can leave anything behind that another would notice. */
const PURE = "test/core/**/*.test.ts";

export default defineConfig({
  test: {
    globalSetup: ["test/setup/global.ts"],
    // For what hangs, in every test alike; a busy machine is slow without being wrong.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "forks",
    // Most tests wait for processes they started, so every core can take a file.
    maxWorkers: "100%",
    projects: [
      // Loading the modules anew for each file would take longer than the tests.
      { extends: true, test: { name: "core", include: [PURE], isolate: false } },
      { extends: true, test: { name: "world", include: ["test/**/*.test.ts"], exclude: [PURE] } },
    ],
  },
});
