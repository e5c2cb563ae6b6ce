import { expect, it } from "vitest";
import { sessionLines } from "../../../../src/core/report/terminal/session-lines.ts";

it("stand between the lines of an agent", () => {
  const paths = Array.from({ length: 12 }, (_, index) => `sub-${index}/AGENTS.md`);
  const all = [
    sessionLines.started("codex", null),
    sessionLines.started("claude", "opus"),
    sessionLines.restored(["CLAUDE.md"]),
    sessionLines.restored(paths),
    sessionLines.activity("reading"),
    sessionLines.tool("Bash", "npm test"),
    sessionLines.tool("TodoWrite", ""),
    sessionLines.toolFailed("no such file"),
    sessionLines.retrying("the provider is overloaded"),
    sessionLines.rateLimited(null),
    sessionLines.rateLimited(Date.parse("2026-01-31T13:00:00Z")),
    sessionLines.asks("Tabs or spaces?"),
    sessionLines.denied("example.org"),
    sessionLines.compacted(),
    sessionLines.context(61.4, 65, "yellow"),
    sessionLines.context(66.2, 65, "red"),
  ];
  expect(all.join("\n")).toMatchInlineSnapshot(`
    "· codex started
    · claude started, model opus
    · put back to the base, for it configures agents: CLAUDE.md
    · put back to the base, for it configures agents: sub-0/AGENTS.md, sub-1/AGENTS.md, sub-2/AGENTS.md, sub-3/AGENTS.md, sub-4/AGENTS.md, sub-5/AGENTS.md, sub-6/AGENTS.md, sub-7/AGENTS.md, sub-8/AGENTS.md, sub-9/AGENTS.md and 2 more
    · reading
    → Bash npm test
    → TodoWrite
    ✗ no such file
    tries again: the provider is overloaded
    ! the provider's limit is reached
    ! the provider's limit is reached until 2026-01-31T13:00:00.000Z
    ? Tabs or spaces?
    ✗ example.org was asked for and is not allowed
    ! the CLI shortened the conversation by itself, so the session hands over
    61 % of the context is used
    66 % of the context is used, the budget is 65 %: it hands over"
  `);
});
