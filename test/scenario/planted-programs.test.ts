import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ending } from "../support/loom-cli.ts";
import { makeProject } from "./project.ts";

const NAMES = [
  "git",
  "sh",
  "node",
  "bwrap",
  "unshare",
  "mount",
  "ps",
  "rm",
  "mkfifo",
  "chmod",
  "env",
  "claude",
];

/** The first stage puts programs where the user's PATH looks first; the second has Loom start all of its own again. */
const AGENT = `
  case $LOOM_STAGE_ID in
    first)
      mkdir -p tools/bin
      for name in ${NAMES.join(" ")}; do
        printf '#!/bin/sh\\necho "merged $0 $*" >> "%s/ran"\\nexit 0\\n' "$PWD_OF_NOTES" > tools/bin/$name
        /bin/chmod +x tools/bin/$name
      done ;;
    *) echo x > second.txt ;;
  esac`;

describe("programs planted in the repository", () => {
  it.each(["off", "bubblewrap"])("are never run by Loom, with LOOM_SANDBOX=%s", async (sandbox) => {
    const project = makeProject({
      stages: [
        { id: "first", acceptance: ["test -x tools/bin/git"] },
        { id: "second", dependencies: ["first"], acceptance: ["test -f second.txt"] },
      ],
      files: { ".gitignore": "node_modules\n" },
    });
    for (const name of NAMES) {
      const file = join(project.root, "node_modules/.bin", name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\necho "packages $0 $*" >> "${project.notes}/ran"\nexit 0\n`);
      chmodSync(file, 0o755);
    }
    // As `npx` and a habit of many people set it.
    const path = ["node_modules/.bin", "tools/bin"].map((folder) => join(project.root, folder));
    const run = await project
      .with({
        agent: AGENT.replaceAll("$PWD_OF_NOTES", project.notes),
        env: { PATH: [...path, ".", "tools/bin", process.env.PATH].join(":"), LOOM_SANDBOX: sandbox },
      })
      .loom("run", "PLAN.md", "--json");
    expect(run.stderr).toBe("");
    expect(ending(run)).toMatchObject({ status: "completed" });
    expect(project.has("tools/bin/git")).toBe(true);
    expect(project.note("ran")).toBeNull();
  });
});
