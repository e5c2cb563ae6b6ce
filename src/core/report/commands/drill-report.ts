import { ATTACK_IDS, type Outcome, type Played } from "../../drill/attack.ts";
import { plainText } from "../../text/escape-text.ts";
import { cutText, type Measure } from "../../text/text-width.ts";
import { wrapLines } from "../../text/wrap-lines.ts";
import { paint } from "../terminal/paint.ts";
import { attackTexts, drillTexts, skipTexts } from "./drill-texts.ts";

const ICONS = { held: "✓", open: "✗", skipped: "-" } as const;
const TONES = { held: "good", open: "bad", skipped: "quiet" } as const;
const WIDTH = Math.max(...ATTACK_IDS.map((id) => attackTexts[id].title.length));

/** How wide the screen is; null: nobody looks at one. */
export type DrillScreen = {
  readonly width: number | null;
  readonly color: boolean;
  readonly measure: Measure;
};

/** What there is of a sandbox; `next`: how to have one. */
export type DrillSandbox = { readonly kind: string; readonly detail: string; readonly next: string | null };

/** The line of one attack. On a screen it is one line whatever its width. */
export function renderAttack({ attack, outcome }: Played, { width, color, measure }: DrillScreen): string {
  const { title, tries } = attackTexts[attack];
  const line = `${title.padEnd(WIDTH)}  ${plainText(reasonOf(outcome) ?? tries)}`.trimEnd();
  const cut = width === null ? line : cutText(line, width - 3, measure);
  return `${paint(ICONS[outcome.kind], TONES[outcome.kind], color)} ${cut}`;
}

/** What came of it all, and below it what to do about each that got through, the same advice once. */
export function renderDrillEnd(
  all: readonly Played[],
  sandbox: Pick<DrillSandbox, "next">,
  { width, measure }: DrillScreen,
): string {
  const count = (kind: Outcome["kind"]): number => all.filter(({ outcome }) => outcome.kind === kind).length;
  const [open, held, skipped] = [count("open"), count("held"), count("skipped")];
  const left = skipped > 0 ? ` ${skipped} ${skipped === 1 ? "does" : "do"} not apply here.` : "";
  const summary =
    open === 0
      ? `All ${held} defences held.${left}`
      : `${open} of ${open + held} attacks ${open === 1 ? "gets" : "get"} through, ${held} ${held === 1 ? "defence" : "defences"} held.${left}`;
  const fixes = new Map<string, string[]>();
  for (const played of all) {
    const fix = fixOf(played, sandbox);
    if (fix !== null) fixes.set(fix, [...(fixes.get(fix) ?? []), attackTexts[played.attack].title]);
  }
  const lines = [...fixes].map(([fix, titles]) => `- ${namesOf(titles)}: ${fix}`);
  const text = [summary, ...(lines.length > 0 ? ["", ...lines] : [])].join("\n");
  return `${width === null ? text : wrapLines(text, width - 1, measure)}\n`;
}

/** For programs: the same as data. */
export function drillJson(all: readonly Played[], sandbox: DrillSandbox): object {
  return {
    holds: all.every(({ outcome }) => outcome.kind !== "open"),
    sandbox: sandbox.kind,
    sandboxDetail: sandbox.detail,
    attacks: all.map((played) => {
      const { attack: id, outcome } = played;
      const { title, tries } = attackTexts[id];
      const found = outcome.kind === "open" && outcome.why === "got-through" ? outcome.what : [];
      const code = outcome.kind === "held" ? null : outcome.why;
      return {
        id,
        title,
        tries,
        outcome: outcome.kind,
        why: code,
        reason: reasonOf(outcome),
        found,
        fix: fixOf(played, sandbox),
      };
    }),
  };
}

function namesOf(titles: readonly string[]): string {
  return titles.length <= 4
    ? titles.join(", ")
    : `${titles.slice(0, 3).join(", ")} and ${titles.length - 3} more`;
}

/** null: it held. */
function reasonOf(outcome: Outcome): string | null {
  if (outcome.kind === "held") return null;
  if (outcome.kind === "skipped") return skipTexts[outcome.why];
  switch (outcome.why) {
    case "no-sandbox":
      return drillTexts.noSandbox();
    case "not-played":
      return drillTexts.notPlayed(outcome.what);
    case "got-through":
      return drillTexts.gotThrough(outcome.what);
  }
}

function fixOf({ attack, outcome }: Played, { next }: Pick<DrillSandbox, "next">): string | null {
  if (outcome.kind !== "open") return null;
  if (attack === "setting-sandbox" || outcome.why === "no-sandbox")
    return next ?? attackTexts["setting-sandbox"].fix;
  switch (outcome.why) {
    case "not-played":
      return drillTexts.playAgain();
    case "got-through":
      return attackTexts[attack].fix;
  }
}
