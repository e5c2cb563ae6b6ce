// Runs tests as `vitest run` does, with its options, and then each file that failed once more, alone: what passes then is
// flaky, which is a defect of the test but says nothing about the change that is tried. A second try of every single test
// (vitest's `retry`) was rejected, since it happens on the busy machine that the first one failed on, and nobody sees it.
// JavaScript, because it runs before anything is compiled.
import { relative } from "node:path";
import { createVitest, parseCLI } from "vitest/node";

const SLOWEST = 20;

/** @typedef {import("vitest/node").Vitest} Vitest */
/** @typedef {import("vitest/node").TestModule} TestModule */

/** @type {(argv: readonly string[]) => Promise<boolean>} Whether all is well. */
async function runTests(argv) {
  const { filter, options } = parseCLI(["vitest", "run", ...argv]);
  const vitest = await createVitest("test", { ...options, watch: false });
  try {
    const { unhandledErrors } = await vitest.start(filter);
    const flaky = await runFailedAgain(vitest);
    const failed = report(vitest, flaky, unhandledErrors.length);
    return failed === 0;
  } finally {
    await vitest.close();
  }
}

/** @type {(vitest: Vitest) => Promise<readonly string[]>} The files that passed then. */
async function runFailedAgain(vitest) {
  const failed = vitest.state.getTestModules().filter((file) => !file.ok());
  // They are of this shard, and a shard of a single file may be empty.
  delete vitest.config.shard;
  const flaky = [];
  for (const file of failed) {
    console.log(`Once more, alone: ${nameOf(vitest, file)}`);
    const { testModules } = await vitest.runTestSpecifications([file.toTestSpecification()]);
    const again = testModules.find(({ id }) => id === file.id);
    if (again?.ok()) flaky.push(nameOf(vitest, file));
  }
  return flaky;
}

/** @type {(vitest: Vitest, flaky: readonly string[], unhandled: number) => number} How many failed. */
function report(vitest, flaky, unhandled) {
  const files = vitest.state.getTestModules();
  const slowest = files.map((file) => ({ file, ms: timeOf(file) })).sort((a, b) => b.ms - a.ms);
  console.log("The slowest files:");
  for (const { file, ms } of slowest.slice(0, SLOWEST))
    console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${nameOf(vitest, file)}`);

  console.log("\nBy project:");
  const projects = [...new Set(files.map(({ project }) => project.name))].sort();
  for (const name of projects)
    console.log(`  ${name}: ${inWords(count(files.filter(({ project }) => project.name === name)))}`);
  const left = (vitest.config.projects ?? [])
    .map((one) => (typeof one === "object" && "test" in one ? one.test?.name : undefined))
    .filter((name) => typeof name === "string" && !vitest.projects.some((one) => one.name === name));
  if (left.length > 0) console.log(`Left to \`npm run test:all\`: ${left.join(", ")}`);

  if (flaky.length > 0) console.log("\nThese failed, and passed when they were run once more, alone:");
  for (const name of flaky) console.log(`  ${name}`);
  console.log(`\nflaky: ${flaky.length}`);
  const all = count(files);
  const failed = all.failed + unhandled;
  console.log(inWords({ ...all, failed }));
  return failed;
}

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {(files: readonly TestModule[]) => Counts} */
function count(files) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of files) {
    const before = counts.failed;
    for (const test of file.children.allTests()) {
      const { state } = test.result();
      counts[state === "pending" ? "failed" : state] += 1;
    }
    // It could not be loaded, or prepared.
    if (!file.ok() && counts.failed === before) counts.failed += 1;
  }
  return counts;
}

/** @type {(counts: Counts) => string} .ci reads it. */
function inWords({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** @type {(file: TestModule) => number} With the loading of its modules. */
function timeOf(file) {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } =
    file.diagnostic();
  return prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration;
}

/** @type {(vitest: Vitest, file: TestModule) => string} */
function nameOf(vitest, file) {
  return `${relative(vitest.config.root, file.moduleId)}`;
}

process.exitCode = (await runTests(process.argv.slice(2))) ? 0 : 1;
