import { createApp } from "../../playground/model/apps/create-app.ts";
import { install } from "../../playground/model/apps/install.ts";
import { createCheckRun } from "../../playground/model/checks/create-check-run.ts";
import type { PullIssue } from "../../playground/model/find.ts";
import { addComment } from "../../playground/model/issues/add-comment.ts";
import { createLabel } from "../../playground/model/issues/create-label.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import { createUser } from "../../playground/model/people/create-user.ts";
import { personOf } from "../../playground/model/people/person-of.ts";
import { setRole } from "../../playground/model/people/set-role.ts";
import { afterPush } from "../../playground/model/pulls/after-push.ts";
import { openPull } from "../../playground/model/pulls/open-pull.ts";
import type { App, Issue, Repository } from "../../playground/model/types.ts";
import type { World } from "../../playground/model/world.ts";

import { watchTimeline } from "../../playground/pages/issues/watch-timeline.ts";
import { startPlayground } from "../../playground/server.ts";

export type Shop = {
  readonly world: World;
  readonly repository: Repository;
  readonly app: App;
  readonly issue: Issue;
  readonly pull: PullIssue;
  /** Address of the repository's pages. */
  readonly url: string;
  push(branch: string, files: Readonly<Record<string, string | null>>, message: string): Promise<string>;
  whenDelivered(): Promise<void>;
  close(): Promise<void>;
};

/** A second App on the shop's account that wants to hear of comments. */
export function installedOn({ world }: Shop, webhookUrl: string): App {
  const permissions = { issues: "write", pull_requests: "write" } as const;
  const events = ["issue_comment"];
  const { app } = createApp(world, {
    owner: "ada",
    name: "Listener",
    publicKey: "",
    webhookUrl,
    permissions,
    events,
  });
  install(world, app, { account: "ada" });
  return app;
}

const README = `# Shop\n\nA small shop. See [the cart](src/cart.ts) and #1.\n\n| part | state |\n|---|---|\n| cart | ready |\n`;
const PANEL = `**Run** \`totals-41\` is going.\n\n\`\`\`mermaid\nflowchart LR\n  plan["plan"]:::done --> api("api<br/>#quot;sum#quot;"):::done\n  plan --> ui["ui"]:::running\n  api --> docs["docs"]\n  ui --> docs\n  plan --> docs\n  classDef done fill:#1f7f45,stroke:#17683a,color:#fff\n  classDef running fill:#f0c674,stroke:#9a6108\n\`\`\`\n\n- [x] plan\n- [ ] ui\n\n<details><summary>Log</summary>\n\n\`\`\`diff\n+ sum(lines)\n- 0\n\`\`\`\n\n</details>\n<!-- loom:panel -->`;

/** A repository with people of every role, an issue with a panel, and a pull request with checks, behind real HTTP. */
export async function openShop(): Promise<Shop> {
  const playground = await startPlayground();
  const { world } = playground;
  watchTimeline(world);
  createUser(world, { login: "ada", name: "Ada" });
  const repository = await createRepository(world, {
    owner: "ada",
    name: "shop",
    gitDir: playground.gitDir("ada", "shop"),
    description: "A small shop.",
    files: {
      "README.md": README,
      "src/cart.ts": "export const total = () => 0;\n",
      "src/page.html": "<script>alert(1)</script>\n",
    },
  });
  for (const [login, role] of [
    ["wes", "write"],
    ["tia", "triage"],
    ["rae", "read"],
  ] as const)
    setRole(world, repository, { login, role });
  createUser(world, { login: "sam" });
  createLabel(world, repository, {
    by: "ada",
    name: "loom:approved",
    color: "0e8a16",
    description: "This plan may run",
  });
  const { app } = createApp(world, {
    owner: "ada",
    name: "Loom",
    publicKey: "",
    permissions: { checks: "write" },
    events: [],
  });
  install(world, app, { account: "ada" });

  const push: Shop["push"] = async (branch, files, message) => {
    const { gitDir } = repository;
    const before = await world.git.tip(gitDir, branch);
    const parent = before ?? (await world.git.tip(gitDir, "main"));
    const author = personOf(world, "wes");
    const after = await world.git.commitFiles(gitDir, { parent, files, message, author });
    const ref = `refs/heads/${branch}`;
    await world.git.updateRef(gitDir, ref, after, before);
    await afterPush(world, repository, [{ ref, before, after }], { by: "wes" });
    return after;
  };

  const issue = openIssue(world, repository, {
    by: "rae",
    title: "Cart shows `0` as total",
    body: "Every cart is **0**.\n\nSeen by @wes. See https://example.com.",
    labels: ["bug"],
  });
  addComment(world, repository, issue, { by: "wes", body: "/loom run" });
  addComment(world, repository, issue, { by: app.bot, viaApp: app.id, body: PANEL });
  await push(
    "loom/totals",
    { "src/cart.ts": "export const total = (lines: number[]) => lines.reduce((a, b) => a + b, 0);\n" },
    "Sum the lines of a cart",
  );
  const head = await push(
    "loom/totals",
    { "src/tax.ts": "export const tax = 0.19;\n" },
    "Add the tax\n\nIt was missing.",
  );
  const pull = await openPull(world, repository, {
    by: "wes",
    title: "Sum the lines of a cart",
    body: "Closes #1",
    head: "loom/totals",
    base: "main",
  });
  await createCheckRun(world, repository, {
    by: app.bot,
    app: app.id,
    name: "loom / verify",
    headSha: head,
    conclusion: "success",
    output: {
      title: "3 checks passed",
      summary: "Everything **holds**.\n\n| check | result |\n|---|---|\n| tests | passed |",
      text: "Log of `npm test`\n\n```\nok 3\n```",
      annotations: [
        {
          path: "src/tax.ts",
          start_line: 1,
          end_line: 1,
          annotation_level: "warning",
          title: "Magic number",
          message: "Give it a name.",
        },
      ],
    },
    actions: [{ label: "Retry", description: "Run the stage again", identifier: "retry" }],
  });
  await createCheckRun(world, repository, {
    by: app.bot,
    app: app.id,
    name: "loom / review",
    headSha: head,
    status: "in_progress",
  });

  return {
    world,
    repository,
    app,
    issue,
    pull,
    url: `${world.github.url}/ada/shop`,
    push,
    whenDelivered: () => playground.hooks.whenDelivered(),
    close: () => playground.close(),
  };
}
