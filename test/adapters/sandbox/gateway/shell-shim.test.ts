import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPrograms } from "../../../../src/adapters/os/host-programs.ts";
import { createShellShim } from "../../../../src/adapters/sandbox/gateway/shell-shim.ts";
import { type Ended, start } from "./compiled-programs.ts";

let folder = "";
let shim = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom shim's-"));
  // Stands in for the guard: notes what it was asked, and dislikes one word.
  const guard = `
    require("node:fs").appendFileSync(process.env.ASKED, process.argv.slice(2).join(" ") + "\\n");
    if (process.argv[4].includes("forbidden")) { console.error("Loom does not allow this: no."); process.exit(2); }
  `;
  await writeFile(join(folder, "guard.cjs"), guard);
  shim = await createShellShim(join(folder, "bin"), [process.execPath, join(folder, "guard.cjs")]);
});
afterAll(() => rm(folder, { recursive: true }));

async function run(argv: string[], env: Record<string, string> = {}): Promise<Ended & { asked: string[] }> {
  const asked = join(folder, "asked");
  await writeFile(asked, "");
  const ended = await start(["/usr/bin/env", ...argv], {
    env: { PATH: `${shim}:${process.env.PATH}`, ASKED: asked, ...env },
    stdin: "input",
  }).ended;
  const { out } = await start(["cat", asked]).ended;
  return { ...ended, asked: out.split("\n").filter((line) => line !== "") };
}

describe("the shell that asks first", () => {
  it("runs what is allowed with the same arguments and standard input", async () => {
    expect(await run(["sh", "-c", 'cat; echo " $0 $1"; exit 3', "name", "one"])).toEqual({
      code: 3,
      signal: null,
      out: "input name one\n",
      err: "",
      asked: ['--command sh cat; echo " $0 $1"; exit 3'],
    });
  });

  it("does not run what is denied, and hands the reason on", async () => {
    expect(await run(["bash", "-c", "echo forbidden"])).toMatchInlineSnapshot(`
      {
        "asked": [
          "--command bash echo forbidden",
        ],
        "code": 126,
        "err": "Loom does not allow this: no.
      ",
        "out": "",
        "signal": null,
      }
    `);
  });

  it.each([
    [["bash", "-lc", "forbidden"]],
    [["bash", "-c", "-e", "forbidden"]],
    [["bash", "-euo", "pipefail", "-c", "forbidden"]],
    [["bash", "-ceuo", "pipefail", "forbidden"]],
    [["bash", "--norc", "--rcfile", "/dev/null", "-c", "forbidden"]],
    [["bash", "-O", "extglob", "-c", "--", "forbidden"]],
    [["bash", "+e", "-c", "forbidden"]],
    [["sh", "-e", "-c", "forbidden", "sh", "-c", "harmless"]],
  ])("finds the command in %j", async (argv) => {
    const { code, asked } = await run(argv);
    expect([code, asked]).toEqual([126, [`--command ${argv[0]} forbidden`]]);
  });

  it("asks about the command, not about its arguments", async () => {
    expect(await run(["sh", "-c", "echo $1", "sh", "forbidden"])).toMatchObject({
      code: 0,
      out: "forbidden\n",
    });
  });

  it("goes straight to the real shell with anything but a command", async () => {
    await writeFile(join(folder, "script.sh"), 'echo "script $1"');
    expect(await run(["sh", join(folder, "script.sh"), "-c"])).toMatchObject({
      code: 0,
      out: "script -c\n",
      asked: [],
    });
    expect(await run(["bash", "-s", "x"])).toMatchObject({ asked: [] });
    expect(await run(["bash", "-c"])).toMatchObject({ code: 2, asked: [] });
  });

  it("never takes a shell that lies in the repository for the real one", async () => {
    const root = join(folder, "repository");
    const [packages, safe] = [join(root, "node_modules/.bin"), join(folder, "safe")];
    for (const made of [join(root, ".git"), packages, join(root, "bin"), safe])
      await mkdir(made, { recursive: true });
    for (const place of [packages, join(root, "bin"), safe])
      await writeFile(join(place, "bash"), "#!/bin/sh\n", { mode: 0o755 });
    const guard = [process.execPath] as const;
    const path = [packages, join(root, "bin"), ".", safe].join(":");
    const made = await createShellShim(join(folder, "taken"), guard, {
      host: hostPrograms({ PATH: path }, root),
      first: [join(root, "bin")],
    });
    expect(await readFile(join(made, "bash"), "utf8")).toContain(join(safe, "bash").replaceAll("'", "'\\''"));
    expect(await readdir(made)).toContain("sh");
  });

  it("leaves the environment of the command as it is, and does not load its code into the guard", async () => {
    const env = { loom: "kept", NODE_OPTIONS: "--require=/nowhere.js", ODD: "a 'b' \"c\"\n$d" };
    const shown = await run(["sh", "-c", "env -0"], env);
    const bare = await start(["/bin/sh", "-c", "env -0"], {
      env: { PATH: `${shim}:${process.env.PATH}`, ASKED: join(folder, "asked"), ...env },
    }).ended;
    const sorted = (text: string): string[] =>
      text
        .split("\0")
        .filter((line) => !/^(_|PWD)=/.test(line))
        .sort();
    expect(shown.asked).toHaveLength(1);
    expect(sorted(shown.out)).toEqual(sorted(bare.out));
  });
});
