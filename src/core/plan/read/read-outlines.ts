import { isId, type StageId, toId } from "../../ids.ts";
import { nearestName } from "../../text/nearest-name.ts";
import type { Reporter } from "../report-problems.ts";
import type { Path } from "./read-yaml.ts";

/**
 * Ids and dependencies of the stages, read before and apart from everything else: so a mistake in some other field does
 * not hide a cycle, and one round of fixing is enough.
 */
export type Outline = {
  readonly at: Path;
  /** null when the stage has no usable id. */
  readonly id: StageId | null;
  readonly dependencies: readonly Dependency[];
  readonly synthesis: boolean;
};

export type Dependency = { readonly id: StageId; readonly at: Path };

export type Outlines = {
  readonly stages: readonly Outline[];
  /** Every stage has an id of its own, and every dependency is one of them. */
  readonly sound: boolean;
};

const DEPENDENCY_KEYS = ["dependencies", "depends_on", "blocked_by"] as const;
/** Each suggestion looks at all ids. */
const MAX_SUGGESTIONS = 20;

/** `key` is what the list of stages is called in the plan. */
export function readOutlines(
  stages: readonly unknown[],
  key: string,
  origin: "loom" | "elsewhere",
  reporter: Reporter,
): Outlines {
  const names = readNames(stages, key, origin, reporter);
  const known = new Set(names.byName.values());
  let suggestions = 0;
  let sound = names.sound;

  function resolve(written: string): StageId | null {
    const id = names.byName.get(written) ?? (origin === "elsewhere" ? toId(written) : null);
    return id !== null && known.has(id) ? id : null;
  }

  function readDependencies(stage: unknown, self: StageId | null, base: Path): Dependency[] {
    const found = new Map<StageId, Dependency>();
    for (const { written, at } of writtenDependencies(stage, base)) {
      const id = resolve(written);
      if (id === null) {
        sound = false;
        suggestions += 1;
        const near = suggestions <= MAX_SUGGESTIONS ? nearestName(written, known) : null;
        reporter.error(
          at,
          `There is no stage \`${shorten(written)}\` to depend on.`,
          near ? `Did you mean \`${near}\`?` : "Name the id of a stage of this plan.",
        );
      } else if (id === self) {
        sound = false;
        reporter.error(at, `The stage depends on itself: ${id} → ${id}.`, "Remove this dependency.");
      } else if (found.has(id)) {
        reporter.warning(at, `The dependency \`${id}\` is listed twice.`, "Keep one of them.");
      } else found.set(id, { id, at });
    }
    return [...found.values()];
  }

  const outlines = stages.map((stage, index): Outline => {
    const at = [key, index];
    const id = names.ids[index] ?? null;
    return {
      at,
      id,
      dependencies: readDependencies(stage, id, at),
      synthesis: field(stage, "synthesis") === true || field(stage, "is_synthesis") === true,
    };
  });
  return { stages: outlines, sound };
}

type Names = {
  /** By position; null where there is none, or another stage has it already. */
  readonly ids: readonly (StageId | null)[];
  readonly byName: ReadonlyMap<string, StageId>;
  readonly sound: boolean;
};

function readNames(
  stages: readonly unknown[],
  key: string,
  origin: "loom" | "elsewhere",
  reporter: Reporter,
): Names {
  const byName = new Map<string, StageId>();
  const owners = new Map<StageId, { written: string; at: Path }>();
  const ids = stages.map((stage, index): StageId | null => {
    const at = [key, index, "id"];
    const value = field(stage, "id");
    const written = typeof value === "number" ? String(value) : value;
    if (typeof written !== "string" || written.trim() === "") {
      // Anything else but a missing id is told by the schema.
      if (written === undefined || written === "") reportMissingId(stage, at, reporter);
      return null;
    }
    const id = readId(written, origin, at, reporter);
    if (id === null) return null;
    const owner = owners.get(id);
    if (owner) {
      reportTwice(written, id, owner, at, reporter);
      return null;
    }
    owners.set(id, { written, at });
    byName.set(id, id);
    if (!byName.has(written)) byName.set(written, id);
    return id;
  });
  return { ids, byName, sound: ids.every((id) => id !== null) };
}

function readId(written: string, origin: "loom" | "elsewhere", at: Path, reporter: Reporter): StageId | null {
  if (isId(written)) return written;
  const near = toId(written);
  const rule = "lower-case letters, digits and hyphens, 63 at most, beginning with a letter or digit";
  if (near === null || origin === "loom") {
    reporter.error(
      at,
      `\`${shorten(written)}\` can't be the id of a stage.`,
      near ? `Write \`${near}\`: ${rule}.` : `Use ${rule}.`,
    );
    return null;
  }
  reporter.warning(
    at,
    `The stage \`${shorten(written)}\` goes by the id \`${near}\`.`,
    `Write \`${near}\` to say so yourself.`,
  );
  return near;
}

function reportMissingId(stage: unknown, at: Path, reporter: Reporter): void {
  if (typeof stage !== "object" || stage === null || Array.isArray(stage)) return;
  const name = field(stage, "name") ?? field(stage, "title");
  const near = typeof name === "string" ? toId(name) : null;
  reporter.error(at, "The stage has no id.", `Add \`id: ${near ?? "its-name"}\`.`);
}

function reportTwice(
  written: string,
  id: StageId,
  owner: { written: string; at: Path },
  at: Path,
  reporter: Reporter,
): void {
  const where = reporter.placeOf(owner.at);
  reporter.error(
    at,
    written === owner.written
      ? `The id \`${id}\` is taken by the stage in ${where}.`
      : `\`${shorten(written)}\` and \`${shorten(owner.written)}\` in ${where} both go by the id \`${id}\`.`,
    "Give each stage an id of its own.",
  );
}

function* writtenDependencies(stage: unknown, base: Path): Generator<{ written: string; at: Path }> {
  for (const key of DEPENDENCY_KEYS) {
    const value = field(stage, key);
    const items: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
    for (const [index, item] of items.entries()) {
      if (typeof item === "string" || typeof item === "number")
        yield { written: String(item).trim(), at: [...base, key, index] };
    }
  }
}

function field(stage: unknown, key: string): unknown {
  return typeof stage === "object" && stage !== null ? Reflect.get(stage, key) : undefined;
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
