import { readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/**
 * `npm run build`: puts the sources into dist/ as few files. Opening and compiling a file is what a start of Loom costs, so
 * each command finds what it needs in one or two of them, with those packages that commands on one's own machine use. Types
 * are tsc's business (`npm run types`).
 *
 * Names and lines stay as they are written: who reads an error without its source map still sees where it was.
 */
const ROOT = resolve(import.meta.dirname, "..");

/** They run alone: in a sandbox, in a thread, or loaded into a process that is not Loom's. Each is one file that needs no other. */
const ALONE = [
  "src/adapters/sandbox/gateway/relay.ts",
  "src/adapters/sandbox/gateway/guard.ts",
  "src/adapters/sandbox/provider/limits/limit-thread.ts",
  "src/adapters/harness/scripted-agent.ts",
  "src/adapters/drill/attacker.ts",
  "playground/git/git-runner.ts",
  "demo/end-with-parent.ts",
];

/** What only the App needs. These packages bring threads, scripts and files of their own, which they look for where npm put them. */
const OF_THE_APP = ["@octokit/*", "@probot/*", "bullmq", "ioredis", "pino", "probot"];

const SHARED = {
  absWorkingDir: ROOT,
  outdir: "dist",
  outbase: ".",
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.18",
  metafile: true,
  // With comments gone, and `if (false)`: there is less to compile.
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
};

/** Packages that are still CommonJS ask for Node's modules by `require`. */
const WITH_REQUIRE = {
  js: 'import { createRequire as createLoomRequire } from "node:module"; const require = createLoomRequire(import.meta.url);',
};

const builds = await Promise.all([
  build({
    ...SHARED,
    entryPoints: ["src/cli/main.ts"],
    splitting: true,
    chunkNames: "src/chunks/[name]-[hash]",
    external: OF_THE_APP,
    banner: WITH_REQUIRE,
    sourcemap: true,
    // The lines are what is looked up.
    sourcesContent: false,
  }),
  build({ ...SHARED, entryPoints: ALONE }),
  build({
    ...SHARED,
    entryPoints: ["demo/main.ts", "demo/playground-main.ts", "bench/main.ts", "bench/support/ack-server.ts"],
    splitting: true,
    chunkNames: "demo/chunks/[name]-[hash]",
    packages: "external",
    sourcemap: true,
    sourcesContent: false,
  }),
]);

const [product, ...others] = builds.map(({ metafile }) => metafile);
const outputs = [product, ...others].flatMap(({ outputs }) => Object.keys(outputs));
const licences = "dist/src/LICENCES.txt";
writeFileSync(join(ROOT, licences), licencesOf(product));
removeOthers(join(ROOT, "dist"), new Set([...outputs, licences].map((path) => join(ROOT, path))));

/** The terms of all packages whose code is in the product. */
function licencesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
      const file = readdirSync(join(ROOT, folder)).find((one) => /^licen[cs]e/i.test(one));
      const terms = file ? readFileSync(join(ROOT, folder, file), "utf8").trim() : "";
      return `${name} ${version} (${license})\n\n${terms}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** What an earlier build left: afterwards, so that at no time a file is missing that is needed. */
function removeOthers(folder, kept) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      removeOthers(path, kept);
      if (readdirSync(path).length === 0) rmdirSync(path);
    } else if (!kept.has(path)) rmSync(path);
  }
}
