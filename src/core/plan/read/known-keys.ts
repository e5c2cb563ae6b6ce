import { nearestName } from "../../text/nearest-name.ts";
import type { Reporter } from "../report-problems.ts";
import { SANDBOX_KEYS, SANDBOX_NESTED_KEYS, UNUSED_IN_SANDBOX } from "../sandbox-schema.ts";
import { NESTED_KEYS, planFields, stageFields } from "../schema.ts";
import type { Path } from "./read-yaml.ts";

/** Keys of plans in the wild that say something Loom has no use for. */
const UNUSED_IN_PLAN = new Set([
  "plan_id",
  "adjudication",
  "change_impact",
  "context_ceiling_tokens",
  "provision",
  "ratchet_files",
  "subagent_ceiling_tokens",
]);
const UNUSED_IN_STAGE = new Set([
  "auto_merge",
  "code_review",
  "context_ceiling_tokens",
  "contracts",
  "dead_code_check",
  "execution_backend",
  "execution_mode",
  "implementers",
  "parallel",
  "parallel_group",
  "plan_overview",
  "reachable",
  "skills",
  "subagent_timeout_secs",
  "summary",
  "ultracode",
]);

const PLAN_KEYS = new Set([...Object.keys(planFields), "stages", "phases"]);
const STAGE_KEYS = new Set(Object.keys(stageFields));

const MAX_SUGGESTIONS = 100;

export type KeyCheck = {
  plan(value: object): void;
  stage(value: unknown, at: Path): void;
  /** Reports what was found; to be called once, at the end. */
  finish(): void;
};

type Finding = {
  readonly at: Path;
  readonly known: ReadonlySet<string>;
  readonly unused: boolean;
  count: number;
};

/**
 * In a plan that Loom wrote, an unknown key is a mistake. In one written elsewhere it is a remark, and one per key: a
 * plan in another dialect uses the same keys in all of its stages.
 */
export function createKeyCheck(origin: "loom" | "elsewhere", reporter: Reporter): KeyCheck {
  const findings = new Map<string, Finding>();

  function look(value: object, known: ReadonlySet<string>, unused: ReadonlySet<string>, at: Path): void {
    for (const [key, below] of Object.entries(value)) {
      const isForeign = key === "harness" && Array.isArray(below);
      if (known.has(key) && !isForeign) continue;
      const place = at.map((step) => (typeof step === "number" ? "" : step)).join(".");
      const id = origin === "loom" ? `${at.join(".")}.${key}` : `${place}.${key}`;
      const finding = findings.get(id);
      if (finding) finding.count += 1;
      else findings.set(id, { at: [...at, key], known, unused: isForeign || unused.has(key), count: 1 });
    }
  }

  function lookInSandbox(sandbox: object, at: Path): void {
    look(sandbox, SANDBOX_KEYS, UNUSED_IN_SANDBOX, at);
    for (const [group, known] of Object.entries(SANDBOX_NESTED_KEYS)) {
      const below: unknown = Reflect.get(sandbox, group);
      if (isMapping(below)) look(below, known, UNUSED_IN_SANDBOX, [...at, group]);
    }
  }

  function lookBelow(value: object, at: Path): void {
    for (const [field, below] of Object.entries(value)) {
      if (field === "sandbox" && isMapping(below)) lookInSandbox(below, [...at, field]);
      const known = NESTED_KEYS[field];
      if (!known || typeof below !== "object" || below === null) continue;
      if (!Array.isArray(below)) look(below, known, NONE, [...at, field]);
      else {
        below.forEach((item, index) => {
          if (typeof item === "object" && item !== null) look(item, known, NONE, [...at, field, index]);
        });
      }
    }
  }

  return {
    plan(value) {
      look(value, PLAN_KEYS, UNUSED_IN_PLAN, []);
      lookBelow(value, []);
    },
    stage(value, at) {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return;
      look(value, STAGE_KEYS, UNUSED_IN_STAGE, at);
      lookBelow(value, at);
    },
    finish() {
      let asked = 0;
      const report = origin === "loom" ? reporter.error : reporter.warning;
      for (const { at, known, unused, count } of findings.values()) {
        const key = String(at.at(-1)).slice(0, 80);
        asked += 1;
        const again = count > 1 ? ` It stands in ${count} places; this is the first.` : "";
        const what = key === "harness" ? "a list under `harness`" : `\`${key}\``;
        report(
          at,
          `${unused ? "Loom has no use for" : "Loom does not know"} ${what}.${again}`,
          fixFor(key, asked <= MAX_SUGGESTIONS ? known : NONE, unused),
        );
      }
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

function isMapping(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fixFor(key: string, known: ReadonlySet<string>, unused: boolean): string {
  if (key === "dead_code_check" || key === "provision")
    return "Write the commands under `acceptance` or `setup`.";
  if (unused) return "Remove it; until then it is passed over.";
  const near = nearestName(key, known);
  return near ? `Did you mean \`${near}\`?` : "Remove it, or check how it is spelled.";
}
