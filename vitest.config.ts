import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { PROJECTS, type Project } from "./test/projects.ts";

const projects = Object.entries<Project>(PROJECTS).map(
  ([name, { needs, files, isolate }], place, all): TestProjectInlineConfiguration => ({
    test: {
      name,
      include: [...files],
      // A file belongs to the first project that names it.
      exclude: all.slice(0, place).flatMap(([, before]) => before.files),
      setupFiles: isolate ? [] : ["test/setup/properties.ts"],
      globalSetup: needs.map((need) => `test/setup/needs/${need}.ts`),
      isolate,
      pool: "forks",
      // For what hangs, in every test alike; a busy machine is slow without being wrong.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 120_000 } },
    },
  }),
);

export default defineConfig({
  test: {
    // Most tests wait for processes they started, so every core can take a file.
    maxWorkers: "100%",
    projects,
  },
});
