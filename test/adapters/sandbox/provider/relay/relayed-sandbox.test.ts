import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { relayFile } from "../../../../../src/adapters/sandbox/gateway/program-files.ts";
import {
  createLimitWatcher,
  type LimitWatcher,
} from "../../../../../src/adapters/sandbox/provider/limits/limit-watcher.ts";
import { nodeRelay } from "../../../../../src/adapters/sandbox/provider/relay/relay-command.ts";
import { openRelayedSandbox } from "../../../../../src/adapters/sandbox/provider/relay/relayed-sandbox.ts";
import { makeSandboxFolder } from "../../../../../src/adapters/sandbox/provider/sandbox-folder.ts";
import type { Sandbox } from "../../../../../src/ports/sandbox.ts";
import { createSandboxWorld, finish, type SandboxWorld, start, untilLine } from "../sandbox-world.ts";

let world: SandboxWorld;
let watcher: LimitWatcher;
let sandbox: Sandbox;
let refused: string[];

beforeEach(async () => {
  world = createSandboxWorld();
  refused = [];
  watcher = createLimitWatcher();
  const env = { PATH: process.env.PATH ?? "" };
  const files = makeSandboxFolder(world.folder, null, () => {});
  sandbox = await openRelayedSandbox({
    supervisor: world.supervisor,
    watcher,
    sandboxSpec: world.sandboxSpec({
      onRefused: ({ boundary, rule }) => void refused.push(`${boundary}/${rule}`),
    }),
    files,
    env,
    node: process.execPath,
    relay: nodeRelay(process.execPath, relayFile(), []),
    // SandboxSpec whose end does not end what is within.
    enclose: (program) => ({
      argv: ["sh", "-c", '"$@" & wait $!', "isolation", ...program],
      env,
      after: async () => {},
    }),
  });
});
afterEach(async () => {
  await sandbox.close();
  await watcher.close();
  await world.dispose();
});

describe("how a program ended", () => {
  it.each([
    ["exit 3", { kind: "exited", code: 3 }],
    ["kill -TERM $$", { kind: "signalled", signal: "SIGTERM" }],
  ])("is what the relay says: %s", async (script, exit) => {
    expect((await finish(start(sandbox, ["sh", "-c", script], world.tree))).exit).toEqual(exit);
  });

  it("is not what the program says in the relay's place: the end of the relay itself tells otherwise", async () => {
    // This isolation lets it take the relay's own connection; bubblewrap's don't.
    const forge = `
      $SIG{PIPE} = 'IGNORE';
      my $relay = syscall(434, getppid(), 0);
      my $word = '{"kind":"exited","code":0}';
      for my $fd (3 .. 60) {
        my $mine = syscall(438, $relay, $fd, 0);
        next if $mine < 0;
        open(my $socket, ">&=", $mine);
        next unless -S $socket;
        syswrite($socket, sprintf("%x\\r\\n%s\\r\\n0\\r\\n\\r\\n", length $word, $word));
      }
      exit 7;`;
    const ended = await finish(start(sandbox, ["perl", "-e", forge], world.tree));
    expect(ended.exit).toEqual({ kind: "exited", code: 7 });
    expect(sandbox.exceeded()).toMatchInlineSnapshot(
      `"The program's end was told in two ways (exit 0, exit 7), so somebody forged one of them."`,
    );
    expect(refused).toEqual(["sandbox/forged-end"]);
  });

  it("is how its isolation ended, when they were killed before it, and not how the rest was swept away", async () => {
    const running = start(
      sandbox,
      ["sh", "-c", "trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done"],
      world.tree,
    );
    await untilLine(running, "up");
    process.kill(running.pid ?? 0, "SIGKILL");
    expect(await running.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
  });
});
