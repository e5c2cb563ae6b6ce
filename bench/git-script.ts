/**
 * The floor: what a person would write in an afternoon. The same graph, the same agent, the same parallelism, with the
 * ordinary porcelain commands: `git worktree add`, commit, merge, remove.
 */
export function gitScript(levels: readonly (readonly string[])[], agent: string): string {
  const lines = ["set -eu", "trees=$1", ""];
  for (const level of levels) {
    for (const stage of level)
      lines.push(`git worktree add --quiet -b work/${stage} "$trees/${stage}" main >/dev/null`);
    for (const stage of level) {
      lines.push(
        `( cd "$trees/${stage}" && LOOM_STAGE_ID=${stage} ${agent} && git add --all && git commit --quiet -m "${stage}" ) &`,
      );
    }
    lines.push("wait");
    for (const stage of level) {
      lines.push(
        `git merge --quiet --no-edit work/${stage} >/dev/null`,
        `git worktree remove --force "$trees/${stage}"`,
        `git branch --quiet -D work/${stage}`,
      );
    }
    lines.push("");
  }
  return lines.join("\n");
}
