import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Depth } from "../../../src/core/command/planning-choices.ts";
import { readDesign } from "../../../src/core/planning/read-design.ts";
import { expectInert, hostile, render } from "../report/github/hostile-text.ts";
import { CREATED, DESIGN_TEMPLATE } from "./planning-values.ts";

const SHOWN = [..."h1 h2 h3 h4 h5 h6 p br ul li code pre table thead tbody tr th td".split(" ")];

const DESIGN = `## Problem Statement

Clients call us *too often*.

## Requirements

### Functional

1. Limit each route

### Non-Functional

- Below 1 ms

### Constraints

- No new service

## Approach

### Selected Approach

Count in \`Redis\`.

### Alternatives Considered

- Memory: lost at a restart
- Postgres: too slow

### Decision Matrix

| Way | Speed |
|---|---|
| Redis | good |

## Architecture

### Component Diagram

\`\`\`
client -> limiter -> server
\`\`\`

### Data Flow

In, then out.

### Key Interfaces

\`\`\`ts
readLimits(settings: Settings): Limits
\`\`\`

## Agent Team

| Agent | Does |
|---|---|
| coder | all of it |

## Risk Assessment

- Redis may be down.

## Success Criteria

- 429 above the limit
`;

function design(text: string, depth: Depth = "standard") {
  return readDesign(text, {
    depth,
    complexity: "complex",
    title: "Limit the rate",
    created: CREATED,
    template: DESIGN_TEMPLATE,
  });
}

describe("a design document", () => {
  it("has Loom's front matter and the agent's sections", () => {
    const { document, problems } = design(DESIGN);
    expect(problems).toEqual([]);
    expect(document).toMatchInlineSnapshot(`
      "---
      title: "Limit the rate"
      created: "2026-03-01T10:00:00.000Z"
      status: draft
      authors: ["TechLead", "User"]
      type: "design"
      design_depth: standard
      task_complexity: complex
      ---

      # Limit the rate

      ## Problem Statement

      Clients call us \\*too often\\*.

      ## Requirements

      ### Functional

      - Limit each route

      ### Non-Functional

      - Below 1 ms

      ### Constraints

      - No new service

      ## Approach

      ### Selected Approach

      Count in \`Redis\`.

      ### Alternatives Considered

      - Memory: lost at a restart
      - Postgres: too slow

      ### Decision Matrix

      | Way | Speed |
      |---|---|
      | Redis | good |

      ## Architecture

      ### Component Diagram

      \`\`\`text
      client -> limiter -> server
      \`\`\`

      ### Data Flow

      In, then out.

      ### Key Interfaces

      \`\`\`text
      readLimits(settings: Settings): Limits
      \`\`\`

      ## Agent Team

      | Agent | Does |
      |---|---|
      | coder | all of it |

      ## Risk Assessment

      - Redis may be down.

      ## Success Criteria

      - 429 above the limit
      "
    `);
  });

  it.each([
    ["talk around it", `Here is the design.\n\n${DESIGN}`],
    ["front matter of its own", `---\ntitle: mine\nstatus: approved\n---\n\n${DESIGN}`],
    ["a block around it, with the same fence", `\`\`\`markdown\n${DESIGN}\`\`\`\n`],
    ["a block around it, with a longer fence", `\`\`\`\`markdown\n${DESIGN}\`\`\`\`\n\nDone.`],
    ["numbered headings", DESIGN.replaceAll(/^## /gm, "## 3. ")],
  ])("is the same with %s", (_, text) => {
    expect(design(text)).toEqual(design(DESIGN));
  });

  it("keeps sections that nobody asked for, at the end", () => {
    expect(design(`${DESIGN}\n## Open Points\n\nNone.\n`).document).toMatch(/\n### Open Points\n\nNone\.\n$/);
  });

  it("says what is missing, by its depth", () => {
    const short = "## Problem Statement\nx\n## Approach\ny\n## Success Criteria\n";
    expect(design(short, "quick").problems).toMatchInlineSnapshot(`
      [
        "The section \`## Success Criteria\` is missing or empty.",
      ]
    `);
    expect(design(`${short}z`, "quick").problems).toEqual([]);
    expect(design(`${short}z`, "deep").problems).toMatchInlineSnapshot(`
      [
        "The section \`## Requirements\` is missing or empty.",
        "The section \`## Approach\` has no part \`### Selected Approach\`.",
        "The section \`## Approach\` has no part \`### Alternatives Considered\`.",
        "The section \`## Approach\` has no part \`### Decision Matrix\`.",
        "The section \`## Architecture\` is missing or empty.",
        "The section \`## Agent Team\` is missing or empty.",
        "The section \`## Risk Assessment\` is missing or empty.",
      ]
    `);
    expect(design("", "quick").problems).toHaveLength(3);
  });

  it("is none without a section that was asked for", () => {
    for (const text of ["Sorry, I can't.", "", "## Thoughts\n\nMany.\n", "## Approach\n\n### Data Flow\n"])
      expect(design(text).document).toBeNull();
    expect(design("## Architecture\n\nOne service.\n", "quick").document).toContain("One service.");
  });

  it("keeps its shape, whatever the agent writes", () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const { document } = design(`## Problem Statement\n\nx${a}\n\n## Approach\n\n${b}\n`, "quick");
        if (document === null) throw new Error("there is a section");
        expect(document.startsWith('---\ntitle: "Limit the rate"\n')).toBe(true);
        const body = document.slice(document.indexOf("\n---\n") + 5);
        expectInert(body, SHOWN);
        expect(render(body).tags.filter((tag) => tag === "h1")).toHaveLength(2);
      }),
    );
  });
});
