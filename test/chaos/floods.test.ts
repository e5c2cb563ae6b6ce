import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { expectSoundLedger, makeScene } from "../support/chaos.ts";
import { until } from "../support/living-processes.ts";
import { BY_THE_CLOCK } from "../support/quickly.ts";

/** Prints activity lines as fast as it can, for ever; a real agent in a loop, or one that was told to do harm. */
const FLOOD = `touch "$CHAOS/begun"; exec "${process.execPath}" -e '
const line = JSON.stringify({ type: "activity", text: "x".repeat(50) }) + "\\n";
const block = Buffer.from(line.repeat(700));
for (;;) try { require("node:fs").writeSync(1, block) } catch (error) { if (error.code !== "EAGAIN") throw error }
'`;
const MB = 1024 * 1024;

it(
  "a flood of activity takes little memory and few files, and SIGTERM ends it at once",
  BY_THE_CLOCK,
  async () => {
    const scene = makeScene([{ id: "one", acceptance: ["true"] }]);
    const loom = scene.start(["run", "PLAN.md", "--json"], FLOOD);
    await until(() => scene.has("begun"), "the agent is at work");
    const idle = residentBytes(loom.child.pid);
    const runs = join(scene.repo.root, ".git", "loom", "runs");
    let most = idle;
    await until(() => {
      most = Math.max(most, residentBytes(loom.child.pid));
      return filesBelow(runs).some((path) => path.endsWith(".log") && statSync(path).size > 2 * MB);
    }, "the flood has reached the log");
    expect(most - idle).toBeLessThan(100 * MB);
    expect(filesBelow(runs).length).toBeLessThan(30);
    const asked = performance.now();
    loom.kill("SIGTERM");
    const { code, lines } = await loom.finished;
    expect(performance.now() - asked).toBeLessThan(5_000);
    expect(code).toBe(130);
    expect(lines.filter(({ type }) => type === "activity").length).toBeLessThan(700);
    expectSoundLedger(scene.ledger());
    expect(scene.living()).toEqual([]);
  },
);

function residentBytes(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
