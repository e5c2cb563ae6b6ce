import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "./project.ts";

describe("a git filter of the person's", () => {
  it.each([
    ["a script of the repository", "./tools/clean.sh"],
    ["a module that Python looks for in the work tree first", "python3 -m clean"],
  ])("never runs an agent's code: %s", async (_what, command) => {
    const project = makeProject({
      stages: [{ id: "sly" }, { id: "later", dependencies: ["sly"] }],
      files: { ".gitattributes": "*.nb filter=nb\n", "tools/clean.sh": "#!/bin/sh\ncat\n" },
      agent: `
        printf '#!/bin/sh\\necho ran >> "%s/ran"\\ncat\\n' "$NOTES" > tools/clean.sh
        printf 'open("%s/ran", "a").write("ran")\\n' "$NOTES" > clean.py
        [ "$LOOM_STAGE_ID" = sly ] || echo x > new.nb`,
    });
    chmodSync(join(project.root, "tools/clean.sh"), 0o755);
    project.commit("executable");
    for (const kind of ["clean", "smudge"]) project.git("config", `filter.nb.${kind}`, command);
    const { stdout, stderr } = await project.loom("run", "PLAN.md");
    expect(project.mergedStages()).toEqual(["sly"]);
    expect(`${stdout}${stderr}`.replace(/\s+/g, " ")).toContain(`the git filter \`nb\` runs \`${command}\``);
    expect(project.has("new.nb")).toBe(false);
    expect(project.note("ran")).toBeNull();
  });
});
