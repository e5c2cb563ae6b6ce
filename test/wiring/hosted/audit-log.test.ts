import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Refusal } from "../../../src/core/policy/boundaries.ts";
import type { AuditFields } from "../../../src/core/report/audit/audit-fields.ts";
import { createRedactor } from "../../../src/core/secrets/redact.ts";
import { type AuditLog, auditOf, createAuditLog } from "../../../src/wiring/hosted/audit-log.ts";

const SECRET = "Zq9w81Lm0Xy7f3aK2";
let lines: { fields: AuditFields; message: string }[];
let log: AuditLog;
beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  log = createAuditLog({
    write: (fields, message) => void lines.push({ fields, message }),
    redact: createRedactor({ DEPLOY_TOKEN: SECRET }),
  });
});
afterEach(() => vi.useRealTimers());

const denied = (more: Partial<Refusal> = {}): Refusal =>
  ({ boundary: "network", rule: "host", run: "shop-1", stage: "api", what: "x.example", ...more }) as Refusal;
const total = (): number => lines.reduce((sum, { fields }) => sum + fields.count, 0);

describe("the audit log", () => {
  it("writes one line with fields that are always there", () => {
    log.refused(denied({ who: "agent" }));
    log.refused({ boundary: "webhook", rule: "forged", what: "a webhook." });
    expect(lines).toEqual([
      {
        fields: {
          boundary: "network",
          rule: "host",
          run: "shop-1",
          stage: "api",
          repo: null,
          who: "agent",
          count: 1,
        },
        message: "refused at network/host (T7, T24, T30): x.example",
      },
      {
        fields: {
          boundary: "webhook",
          rule: "forged",
          run: null,
          stage: null,
          repo: null,
          who: null,
          count: 1,
        },
        message: "refused at webhook/forged (T21, T44): a webhook.",
      },
    ]);
    auditOf(log, "ada/tools").refused(denied({ run: "other" }));
    expect(lines.at(-1)?.fields.repo).toBe("ada/tools");
  });

  it("tells a flood in a handful of lines whose counts are all of it", () => {
    for (let n = 0; n < 10_000; n += 1) {
      log.refused(denied({ what: `host ${n}` }));
      if (n % 50 === 49) vi.advanceTimersByTime(1_000);
    }
    expect(lines.length).toBeLessThan(6);
    log.close();
    expect(lines.length).toBeLessThan(7);
    expect(total()).toBe(10_000);
    expect(lines[1]?.message).toMatch(
      /^refused at network\/host .*: host \d+ \(\d+ times since the last such line\)$/,
    );
  });

  it("tells what is untold once a minute is over, and then forgets the kind", () => {
    for (let n = 0; n < 3; n += 1) log.refused(denied());
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(60_000);
    expect(lines.map(({ fields }) => fields.count)).toEqual([1, 2]);
    vi.advanceTimersByTime(120_000);
    expect(lines).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps its size whatever runs are named, by sharing a line", () => {
    for (let n = 0; n < 10_000; n += 1) log.refused(denied({ run: `run-${n}` }));
    expect(lines.length).toBeLessThanOrEqual(101);
    expect(lines.at(-1)?.fields.run).toBeNull();
    log.close();
    expect(total()).toBe(10_000);
    expect(lines.length).toBeLessThanOrEqual(102);
  });

  it("shows no secret, no control characters, and no more than a few hundred of any", () => {
    const codes = "\u001b[2J\u202e\n";
    log.refused(denied({ who: `${SECRET}\u0007`, what: `${codes}key=${SECRET} ${"a".repeat(100_000)}` }));
    log.refused(denied({ run: "2", what: `${"b".repeat(3_990)}${SECRET}` }));
    const text = JSON.stringify(lines);
    expect(text).not.toContain(SECRET.slice(0, 8));
    expect(text).not.toMatch(/\\u001b|\u202e|\\n/);
    expect(lines[0]?.fields.who).toBe("[secret]⟨U+0007⟩");
    expect(lines[0]?.message).toContain("⟨U+001B⟩[2J⟨U+202E⟩␊key=[secret] aaa");
    for (const { message } of lines) expect(message.length).toBeLessThan(700);
  });
});
