import { parseArgs } from "node:util";
import type { Guide, GuideStep } from "../playground/model/world.ts";
import { messageOf } from "../src/core/errors.ts";
import { firstSteps } from "./first-steps.ts";
import { inDemoWorld } from "./in-demo-world.ts";
import type { DemoWorld } from "./open-demo-world.ts";
import { proposeChange } from "./propose-change.ts";

const USAGE = "Usage: npm run playground [-- --port 4000]";

/** The look-alike with Loom attached, until Ctrl-C. */
function invite({ github, repository, store }: DemoWorld, guide: Guide, pull: number): string {
  const home = `${github.url}/${repository.owner}/${repository.name}`;
  const loom =
    store === "redis"
      ? "an app and a worker, connected by Redis"
      : "one process that keeps its data in files";
  return `The playground is open: ${github.url}
Loom is attached: ${loom}.
Its agents follow scripts: no model, no key.

${guide.title}:
${guide.steps.map((step, index) => `  ${index + 1}. ${stepLine(step, github.url)}`).join("\n")}

Then watch Loom build it. Meanwhile, try these comments:
  /loom ask How is this tested?     on any issue or pull request
  /loom review                      on ${home}/pull/${pull}
  /loom help                        anywhere

Ctrl-C ends the playground and removes everything.`;
}

function stepLine(step: GuideStep, url: string): string {
  return step.kind === "open" ? `Open ${url}${step.path}` : `${step.where}: ${step.text}`;
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Error(`--port is "${text}". Give a number from 0 to 65535.`);
}

try {
  const { values } = parseArgs({
    options: { port: { type: "string" }, help: { type: "boolean", default: false } },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const port = readPort(values.port);
  const redisUrl = process.env.REDIS_URL?.trim() || null;
  console.log("Opening a GitHub look-alike and starting Loom …");
  const code = await inDemoWorld({ redisUrl, ...(port === undefined ? {} : { port }) }, async (demo) => {
    if (demo.noSandbox !== null) console.log(`\n${demo.noSandbox}\n`);
    const pull = await proposeChange(demo.github, demo.repository);
    const guide = firstSteps(demo);
    demo.github.world.guide = guide;
    console.log(invite(demo, guide, pull));
    // Until somebody stops it, or a part of Loom dies.
    await new Promise<never>(() => {});
  });
  console.log("\nThe playground is closed, and everything was removed.");
  // Ctrl-C is how it is meant to end.
  process.exit(code === 130 || code === 143 ? 0 : code);
} catch (error) {
  const message = messageOf(error);
  const next = /EADDRINUSE/.test(message) ? " Another program uses this port; choose another one." : "";
  console.error(`Can't open the playground: ${message}${next}\n${USAGE}`);
  process.exit(1);
}
