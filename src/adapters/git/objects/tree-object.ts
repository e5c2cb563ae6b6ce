import type { Sha } from "../../../core/ids.ts";

/** One line of a folder as git stores it. The name is its bytes, one character each: it need not be text. */
export type TreeNode = { readonly name: string; readonly mode: string; readonly sha: Sha };

export const TREE = "40000";

export function isTree({ mode }: Pick<TreeNode, "mode">): boolean {
  // Other tools have written the zero that git leaves out, and git itself prints it.
  return mode === TREE || mode === `0${TREE}`;
}

export function parseTree(content: Buffer, nameLength: 40 | 64): TreeNode[] {
  const bytes = nameLength / 2;
  const nodes: TreeNode[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    nodes.push({
      mode: content.toString("latin1", at, space),
      name: content.toString("latin1", space + 1, end),
      sha: content.toString("hex", end + 1, end + 1 + bytes),
    });
    at = end + 1 + bytes;
  }
  return nodes;
}

export function formatTree(nodes: readonly TreeNode[]): Buffer {
  const sorted = [...nodes].sort((one, other) => compare(sortKey(one), sortKey(other)));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, sha }) => [
      Buffer.from(`${mode} ${name}\0`, "latin1"),
      Buffer.from(sha, "hex"),
    ]),
  );
}

/** Git sorts folders as if their names ended with a slash. So a file and a folder of one name have two keys. */
export function sortKey(node: TreeNode): string {
  return isTree(node) ? `${node.name}/` : node.name;
}

export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** As git prints it: six digits. Early versions of git wrote modes such as 100664, which count as one of the two that there are. */
export function shownMode(mode: string): string {
  const digits = mode.padStart(6, "0");
  if (!digits.startsWith("100")) return digits;
  return (Number.parseInt(digits, 8) & 0o100) === 0 ? "100644" : "100755";
}

export function nameBytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

export function nameText(name: string): string {
  return /^[\0-\x7f]*$/.test(name) ? name : Buffer.from(name, "latin1").toString("utf8");
}
