import { nearestName } from "../text/nearest-name.ts";
import { quote } from "../text/quote.ts";
import { KNOWN_HARNESSES } from "./harness-settings.ts";
import { ROUTE_ROLES, type Route, TIERS } from "./routing.ts";

export type ParsedRoutes = { readonly routes: readonly Route[]; readonly problems: readonly string[] };

const EXAMPLE = "review=codex:gpt-5.5@high";

/** `LOOM_ROUTES="review=codex:gpt-5.5@high, work/low=claude:sonnet"`. A part that is wrong is told and passed over. */
export function parseRoutes(text: string): ParsedRoutes {
  const routes: Route[] = [];
  const problems: string[] = [];
  for (const part of text.split(",").map((one) => one.trim())) {
    if (part === "") continue;
    const read = parseRoute(part);
    if (typeof read === "string") problems.push(read);
    else if (routes.some(({ role, tier }) => role === read.role && tier === read.tier))
      problems.push(`${quote(part)} comes after another route for the same work.`);
    else routes.push(read);
  }
  return { routes, problems };
}

/** As people write it. */
export function routeText({ role, tier, harness, model, effort }: Route): string {
  const place = tier === "*" ? role : `${role}/${tier}`;
  return `${place}=${harness ?? ""}${model === null ? "" : `:${model}`}${effort === null ? "" : `@${effort}`}`;
}

function parseRoute(part: string): Route | string {
  const sides = /^([^=]*)=(.*)$/.exec(part);
  if (!sides) return `${quote(part)} is not a route such as ${quote(EXAMPLE)}.`;
  const place = readRoutePlace((sides[1] ?? "").trim());
  if (typeof place === "string") return place;
  const target = (sides[2] ?? "").trim();
  // A model may have an @ in its own name.
  const [, named = "", effort] = /^(.*?)(?:@(low|medium|high))?$/.exec(target) ?? [];
  const [, harness = "", model = ""] = /^([^:]*):?(.*)$/s.exec(named) ?? [];
  if (harness === "" && model === "" && effort === undefined)
    return `${quote(part)} names neither a harness nor a model nor an effort.`;
  if (harness !== "" && !KNOWN_HARNESSES.some((known) => known === harness)) {
    const near = nearestName(harness, KNOWN_HARNESSES);
    const model = near ? "" : `; a model of the usual harness is written ${quote(`:${harness}`)}`;
    return `${quote(harness)} in ${quote(part)} is not a harness${near ? `, did you mean ${quote(near)}?` : `${model}.`}`;
  }
  if (/\s/.test(model)) return `${quote(part)} has a space in it.`;
  return {
    ...place,
    harness: harness || null,
    model: model || null,
    effort: TIERS.find((tier) => tier === effort) ?? null,
  };
}

/** `review`, `work/low`, or `*` for all that has no route of its own. */
export function readRoutePlace(text: string): Pick<Route, "role" | "tier"> | string {
  const [first = "", second = "*", ...more] = text.split("/");
  const role = [...ROUTE_ROLES, "*" as const].find((one) => one === first);
  const tier = [...TIERS, "*" as const].find((one) => one === second);
  if (!role) {
    const near = nearestName(first, ROUTE_ROLES);
    const advice = near
      ? `did you mean ${quote(near)}?`
      : `there are ${ROUTE_ROLES.map(quote).join(", ")} and \`*\`.`;
    return `${quote(first)} is not a role, ${advice}`;
  }
  if (!tier || more.length > 0)
    return `${quote(text)} is not a role with a tier; write, for example, \`work/low\`, with \`low\`, \`medium\` or \`high\`.`;
  return { role, tier };
}
