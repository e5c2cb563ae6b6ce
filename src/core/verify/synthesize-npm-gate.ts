import * as z from "zod";
import type { GateCommand, Project } from "./gate-command.ts";

// Another tool's file: what is not as expected counts as absent.
const names = z.record(z.string(), z.unknown()).catch({});
const packageSchema = z.object({
  scripts: z.record(z.string(), z.string().catch("")).catch({}),
  dependencies: names,
  devDependencies: names,
  optionalDependencies: names,
  workspaces: z.unknown().optional(),
  packageManager: z.string().catch(""),
});

/** The test script, or else the build: both of what `package.json` itself calls them. */
export function npmGate(project: Project): GateCommand | null {
  if (!project.has("package.json")) return null;
  const manifest = parseManifest(project.read("package.json"));
  if (!manifest) return null;
  const script = ["test", "build"].find((name) => isRealScript(manifest.scripts[name]));
  if (!script) return null;
  const manager = managerOf(project, manifest.packageManager);
  const run = runScript(manager, script);
  const needsInstall =
    manifest.workspaces !== undefined ||
    [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].some(
      (list) => Object.keys(list).length > 0,
    );
  return {
    command: needsInstall ? `${manager.install} && ${run}` : run,
    why: `\`package.json\` has the script \`${script}\`.`,
  };
}

function parseManifest(text: string): z.infer<typeof packageSchema> | null {
  try {
    return packageSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** `npm init` writes a test script that only says that there is none. */
function isRealScript(script: string | undefined): boolean {
  return script !== undefined && script.trim() !== "" && !/no test specified/i.test(script);
}

type Manager = { readonly name: "npm" | "pnpm" | "yarn" | "bun"; readonly install: string };

function managerOf({ has }: Project, declared: string): Manager {
  if (has("pnpm-lock.yaml")) return { name: "pnpm", install: "pnpm install --frozen-lockfile" };
  if (has("yarn.lock"))
    return {
      name: "yarn",
      install: `yarn install ${has(".yarnrc.yml") ? "--immutable" : "--frozen-lockfile"}`,
    };
  if (has("bun.lock") || has("bun.lockb")) return { name: "bun", install: "bun install --frozen-lockfile" };
  if (has("package-lock.json") || has("npm-shrinkwrap.json"))
    return { name: "npm", install: "npm ci --no-audit --no-fund" };
  const named = (["pnpm", "yarn", "bun"] as const).find((name) => declared.startsWith(`${name}@`));
  if (named) return { name: named, install: `${named} install` };
  return { name: "npm", install: "npm install --no-audit --no-fund --no-package-lock" };
}

/** `bun test` is Bun's own test runner and would pass the script by. */
function runScript(manager: Manager, script: string): string {
  return script === "test" && manager.name !== "bun"
    ? `${manager.name} test`
    : `${manager.name} run ${script}`;
}
