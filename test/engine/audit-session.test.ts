import { describe, expect, it } from "vitest";
import { createRunFiles } from "../../src/adapters/local/run-files.ts";
import type { AuditFields } from "../../src/core/report/audit/audit-fields.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { runSession } from "../../src/engine/session/run-session.ts";
import type { SessionRequest } from "../../src/engine/session/session-types.ts";
import type { Harness, SessionSpec } from "../../src/ports/harness.ts";
import { createAuditLog } from "../../src/wiring/hosted/audit-log.ts";
import { tempFolder } from "../support/git-repo.ts";

/** A session whose agent does this as soon as it is there. */
async function audited(act: (spec: SessionSpec) => void): Promise<AuditFields[]> {
  const lines: AuditFields[] = [];
  const audit = createAuditLog({ write: (fields) => void lines.push(fields), redact: (text) => text });
  const harness: Partial<Harness> = {
    id: "scripted",
    start(spec) {
      act(spec);
      return {
        events: (async function* () {})(),
        end: Promise.resolve({
          exit: { kind: "exited", code: 0 },
          failure: null,
          text: null,
          resume: null,
          deniedHosts: [],
        }),
        stop: async () => {},
      };
    },
  };
  const files = createRunFiles({ root: tempFolder() });
  const engine: Partial<Engine> = { now: Date.now, feed: () => {}, files, audit };
  const request: Partial<SessionRequest> = {
    claim: { run: "r-1", stage: "a", attempt: 1, token: "c" },
    harness: harness as Harness,
    session: "a-1-x",
    prompt: { text: "", rules: "", task: "" },
    model: null,
    judge: ({ command }) =>
      command === "ls" ? { kind: "allow" } : { kind: "deny", reason: "It can't be undone." },
    contextBudget: null,
    ceilingSecs: 60,
    stallSecs: 0,
    abort: new AbortController().signal,
  };
  await runSession(engine as Engine, request as SessionRequest);
  audit.close();
  return lines;
}

const FLOOD = 10_000;

describe("what a session refuses its agent", () => {
  it("is one line for the commands that the policy denies, with run and stage", async () => {
    const lines = await audited(({ judge }) => {
      for (let n = 0; n < FLOOD; n += 1) judge?.({ tool: "Bash", command: `rm -rf ${n}` });
      judge?.({ tool: "Bash", command: "ls" });
    });
    const line = { boundary: "policy", rule: "command", run: "r-1", stage: "a", repo: null, who: "agent" };
    expect(lines).toEqual([
      { ...line, count: 1 },
      { ...line, count: FLOOD - 1 },
    ]);
  });

  it.each([
    { boundary: "network", rule: "host" },
    { boundary: "network", rule: "private" },
    { boundary: "model", rule: "request" },
    { boundary: "sandbox", rule: "memory" },
    { boundary: "sandbox", rule: "forged-end" },
  ] as const)("is one line for what its sandbox refuses: $boundary/$rule", async (at) => {
    const lines = await audited(({ sandboxSpec }) => {
      for (let n = 0; n < FLOOD; n += 1) sandboxSpec.onRefused?.({ ...at, what: `number ${n}` });
    });
    const line = { ...at, run: "r-1", stage: "a", repo: null, who: "agent" };
    expect(lines).toEqual([
      { ...line, count: 1 },
      { ...line, count: FLOOD - 1 },
    ]);
  });
});
