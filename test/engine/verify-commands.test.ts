import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Interrupted } from "../../src/engine/attempt/interrupted.ts";
import { checkBefore } from "../../src/engine/verify/check-before.ts";
import { aCheck, aStage } from "../support/check-values.ts";
import { createVerifyWorld, outline, type VerifyWorld } from "../support/verify-world.ts";

let world: VerifyWorld;
let commit: string;
beforeAll(async () => {
  world = await createVerifyWorld();
  commit = world.commit({ "greet.sh": "echo hello\n", "pkg/name.txt": "pkg\n" });
});
afterAll(() => world.close());

function ref(name: string): string {
  return `\${${name}}`;
}

describe("commands of the plan", () => {
  it("run on a clean checkout of the commit, all of them, whatever becomes of each", async () => {
    const verdict = await world.verify(commit, {
      acceptance: [aCheck("sh greet.sh"), aCheck("exit 3"), aCheck("test -f nothing")],
      truths: [aCheck("exit 2", { exitCode: 2, description: "Says no" })],
      after: [aCheck("kill -9 $$")],
    });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed acceptance",
        "    passed sh greet.sh",
        "    failed exit 3: exited with 3 (expected 0)",
        "    failed test -f nothing: exited with 1 (expected 0)",
        "  passed truths",
        "    passed Says no",
        "  failed after",
        "    failed kill -9 $$: was ended by SIGKILL",
      ]
    `);
    expect(world.openTrees()).toBe(0);
  });

  it("leave command, exit code, time and output as evidence", async () => {
    const verdict = await world.verify(commit, { acceptance: [aCheck("echo out; echo err >&2; exit 4")] });
    const evidence = verdict.children[0]?.children[0]?.evidence;
    expect(evidence).toMatchObject({
      command: "echo out; echo err >&2; exit 4",
      exitCode: 4,
      timedOut: false,
      output: "out\nerr\n",
      cutBytes: 0,
    });
    expect(evidence?.durationMs).toBeGreaterThan(0);
  });

  it("are held to what they must print, wherever in a long output it stands", async () => {
    const noise = "head -c 200000 /dev/zero | tr '\\0' x";
    const verdict = await world.verify(commit, {
      acceptance: [
        aCheck(`echo ready; ${noise}`, { stdoutContains: ["ready"] }),
        aCheck(`echo ERROR; ${noise}`, { stdoutNotContains: ["ERROR"] }),
        aCheck("printf rea; printf dy", { stdoutContains: ["ready"] }),
        aCheck("echo ready >&2", { stdoutContains: ["ready"] }),
        aCheck("echo warning >&2", { stderrEmpty: true }),
        aCheck("echo >&2", { stderrEmpty: true }),
      ],
    });
    expect(verdict.children[0]?.children.map((one) => one.detail)).toEqual([
      null,
      "printed `ERROR`, which it must not",
      null,
      "did not print `ready`",
      "wrote to standard error, which it must not",
      null,
    ]);
  });

  it("keep the end of a long output, more of it when they failed, and count the rest", async () => {
    const noise = "head -c 100000 /dev/zero | tr '\\0' x";
    const verdict = await world.verify(commit, { acceptance: [aCheck(noise), aCheck(`${noise}; exit 1`)] });
    const sizes = verdict.children[0]?.children.map(({ evidence }) => [
      evidence?.output.length,
      evidence?.cutBytes,
    ]);
    expect(sizes).toEqual([
      [4096, 95_904],
      [16_384, 83_616],
    ]);
  });

  it("are stopped when their time is up, and the rest still runs", async () => {
    const verdict = await world.verify(commit, {
      acceptance: [aCheck("sleep 60", { timeoutSecs: 0.2 }), aCheck("true")],
    });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed acceptance",
        "    failed sleep 60: did not end within 0.2 seconds",
        "    passed true",
      ]
    `);
    expect(verdict.children[0]?.children[0]?.evidence?.timedOut).toBe(true);
  });

  it("leave no process behind", async () => {
    const alive = join(world.folder, "alive");
    const verdict = await world.verify(commit, {
      acceptance: [aCheck(`setsid sh -c 'sleep 60; touch ${alive}' >/dev/null 2>&1 &`)],
    });
    expect(verdict.outcome).toBe("passed");
    expect(await world.supervisor.reap(world.marker)).toBe(0);
    expect(existsSync(alive)).toBe(false);
  });

  it("know the variables, in the text and in the environment", async () => {
    world.spawned.length = 0;
    const verdict = await world.verify(commit, {
      acceptance: [
        aCheck(`test '${ref("WORKTREE")}' = "$PWD" && test "$WORKTREE" = "$PWD"`),
        aCheck(`test '${ref("PROJECT_ROOT")}' = '${world.repo}' && test "$PROJECT_ROOT" = '${world.repo}'`),
        aCheck(`test '${ref("STAGE_ID")}' = build-api && test "$STAGE_ID" = build-api`),
        aCheck(`test -z "${ref("HOME")}"`),
      ],
    });
    expect(outline(verdict)[0]).toBe("passed checks");
    expect(verdict.children[0]?.children[0]?.title).toContain(ref("WORKTREE"));
  });

  it("take a project's path with spaces and shell code in it as data", async () => {
    const stage = aStage({ before: [aCheck(`printf %s "${ref("PROJECT_ROOT")}"; test ! -e owned`)] });
    const projectRoot = "/tmp/my project; touch owned `touch owned`";
    const verdict = await checkBefore(world.deps, { stage, commit, projectRoot, marker: world.marker });
    expect(verdict.outcome).toBe("passed");
    expect(verdict.children[0]?.evidence?.output).toBe(projectRoot);
  });
});

describe("the working folder", () => {
  it("is where the stage's commands run, while the gate runs at the root", async () => {
    const verdict = await world.verify(
      commit,
      { workingDir: "pkg/", setup: ["test -f name.txt"], acceptance: [aCheck("test -f name.txt")] },
      { gate: [aCheck("test -f greet.sh")] },
    );
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "passed checks",
        "  passed setup",
        "    passed test -f name.txt",
        "  passed acceptance",
        "    passed test -f name.txt",
        "  passed gate",
        "    passed test -f greet.sh",
      ]
    `);
  });

  it("has to be in the commit", async () => {
    const stage = { workingDir: "web", acceptance: [aCheck("true")], artifacts: ["greet.sh"] };
    expect(outline(await world.verify(commit, stage, { gate: [aCheck("true")] }))).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed working_dir: the commit has no folder \`web\` to run the checks in",
        "  passed artifacts",
        "    passed greet.sh: is there",
        "  passed gate",
        "    passed true",
      ]
    `);
    expect(outline(await world.verify(commit, { ...stage, workingDir: "../repo" }))[1]).toBe(
      "  failed working_dir: leads out of the project",
    );
  });

  it("is not entered through a link", async () => {
    const linked = world.commit({ web: { link: "/tmp" } });
    const verdict = await world.verify(linked, { workingDir: "web", acceptance: [aCheck("true")] });
    expect(verdict.outcome).toBe("failed");
  });
});

describe("set-up", () => {
  it("runs first, and nothing else runs when it fails", async () => {
    const marker = join(world.folder, "ran");
    const verdict = await world.verify(commit, {
      setup: ["true", "echo no network; exit 5", `touch ${marker}`],
      acceptance: [aCheck(`touch ${marker}`)],
      artifacts: ["greet.sh"],
    });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks: the set-up failed, so nothing else was run",
        "  failed setup",
        "    passed true",
        "    failed echo no network; exit 5: exited with 5 (expected 0)",
      ]
    `);
    expect(existsSync(marker)).toBe(false);
  });
});

describe("a stage with nothing to run", () => {
  it("passes with a remark and costs no checkout", async () => {
    const verdict = await world.verify(commit, { setup: ["exit 1"] });
    expect(outline(verdict)).toEqual(["passed checks: the plan names no check for this stage"]);
  });
});

describe("an interruption", () => {
  it("ends the running command and says nothing about the commit", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const running = world.verify(
      commit,
      { acceptance: [aCheck("echo started; sleep 60")] },
      { signal, onOutput: () => controller.abort() },
    );
    await expect(running).rejects.toBeInstanceOf(Interrupted);
    expect(world.openTrees()).toBe(0);
    expect(await world.supervisor.reap(world.marker)).toBe(0);
  });

  it("stops between commands, too", async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const running = checkBefore(world.deps, {
      stage: aStage({ before: [aCheck("echo one"), aCheck("sleep 60"), aCheck("echo three")] }),
      commit,
      projectRoot: world.repo,
      marker: world.marker,
      signal: controller.signal,
      onProgress: (text) => {
        seen.push(text);
        if (text.includes("sleep")) controller.abort();
      },
    });
    await expect(running).rejects.toBeInstanceOf(Interrupted);
    expect(seen).toEqual(["checking `echo one`", "checking `sleep 60`"]);
    expect(await world.supervisor.reap(world.marker)).toBe(0);
  });
});

describe("checks before a stage", () => {
  const ask = (stage: Parameters<typeof aStage>[0]) =>
    checkBefore(world.deps, {
      stage: aStage(stage),
      commit,
      projectRoot: world.repo,
      marker: world.marker,
    });

  it("hold on what the agent starts from", async () => {
    const verdict = await ask({
      setup: ["true"],
      before: [aCheck("test -f greet.sh"), aCheck("test -f later.sh")],
    });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed before",
        "  passed setup",
        "    passed true",
        "  passed test -f greet.sh",
        "  failed test -f later.sh: exited with 1 (expected 0)",
      ]
    `);
  });

  it("need the set-up and the working folder", async () => {
    expect(outline(await ask({ setup: ["exit 1"], before: [aCheck("true")] }))).toMatchInlineSnapshot(`
      [
        "failed before: the set-up failed, so nothing else was run",
        "  failed setup",
        "    failed exit 1: exited with 1 (expected 0)",
      ]
    `);
    expect(outline(await ask({ workingDir: "web", before: [aCheck("true")] }))).toMatchInlineSnapshot(`
      [
        "failed before",
        "  failed working_dir: there is no folder \`web\` to run the checks in",
      ]
    `);
  });
});
