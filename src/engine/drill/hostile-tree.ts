import type { Plant } from "../../core/drill/task.ts";

/** What an agent leaves in its tree, by the attack that it belongs to. */
export type HostileTree = Readonly<
  Record<"links" | "published" | "agent-config" | "odd-names" | "secrets", readonly Plant[]>
>;

/** Without it in the commit, nothing was imported and nothing is shown. */
export const HARMLESS: Plant = { path: "harmless.txt", text: "an agent's work\n" };

export function hostileTree(told: {
  readonly outside: string;
  readonly secret: string;
  readonly trap: (name: string) => string;
}): HostileTree {
  const { outside, secret, trap } = told;
  const git = trap("git-programs");
  return {
    links: [
      { path: "loot.txt", to: `${outside}/secret.txt` },
      { path: "way-out", to: outside },
      { path: "upwards", to: "../../../../../../../../../../etc/passwd" },
    ],
    published: [
      { path: ".github/workflows/drill.yml", text: "on: push\njobs: {}\n" },
      { path: ".vscode/tasks.json", text: '{"tasks":[]}\n' },
      { path: ".husky/pre-commit", text: git, runs: true },
      { path: ".envrc", text: "export DRILL=1\n" },
      { path: ".devcontainer/devcontainer.json", text: "{}\n" },
      { path: "node_modules/.bin/git", text: trap("search-path"), runs: true },
      // Not refused but pointed out; see check-published.ts.
      { path: ".gitattributes", text: "* filter=drill diff=drill merge=drill\n*.js -diff\n" },
    ],
    "agent-config": [
      { path: ".claude/settings.json", text: '{"hooks":{}}\n' },
      { path: ".mcp.json", text: '{"mcpServers":{}}\n' },
      { path: ".codex/config.toml", text: "[mcp_servers]\n" },
      { path: ".gemini/settings.json", text: "{}\n" },
    ],
    "odd-names": [
      { path: ".GIT/config", text: "[core]\n" },
      { path: "readme.md", text: "a second one\n" },
      { path: "aux.txt:stream", text: "hidden\n" },
      { path: "vendor/HEAD", text: "ref: refs/heads/main\n" },
      { path: "vendor/config", text: `[core]\n\tbare = true\n\tfsmonitor = ${outside}/../traps/fsmonitor\n` },
      { path: "vendor/objects/info/keep", text: "\n" },
      { path: "vendor/refs/heads/keep", text: "\n" },
    ],
    secrets: [
      { path: "notes.txt", text: `deploy with ${secret}\n` },
      { path: "notes.b64", text: `${base64(secret)}\n` },
    ],
  };
}

/** Programs that git runs when a repository says so, written into the git folder as if an agent had got there. */
export function hostileGitFolder(program: string, include: string): Plant[] {
  const hooks = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "pre-auto-gc",
    "pre-commit",
    "prepare-commit-msg",
    "reference-transaction",
  ];
  return [
    ...hooks.map((name) => ({ path: `hooks/${name}`, text: program, runs: true })),
    { path: "info/attributes", text: "* filter=drill diff=drill merge=drill\n" },
    { path: "drill-include", text: include },
  ];
}

/** Lines for the repository's own settings, each of which names a program. */
export function hostileSettings(program: string): string {
  return `[core]
	fsmonitor = ${program}
	hooksPath = ${program.slice(0, program.lastIndexOf("/"))}
	sshCommand = ${program}
	pager = ${program}
	editor = ${program}
	alternateRefsCommand = ${program}
[filter "drill"]
	clean = ${program}
	smudge = ${program}
	process = ${program}
	required = true
[diff]
	external = ${program}
[diff "drill"]
	command = ${program}
	textconv = ${program}
[merge "drill"]
	driver = ${program}
[credential]
	helper = ${program}
[gpg]
	program = ${program}
[commit]
	gpgSign = true
[gc]
	auto = 1
`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
