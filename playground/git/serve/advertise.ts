import { objectsOf } from "../objects/object-reader.ts";
import { FLUSH, pktLine, readPktLines } from "./pkt-line.ts";
import { listRefs, readSymbolicRef } from "./read-refs.ts";

/**
 * What a server says of its refs. Every fetch and push begins with that, and git would start two processes for it; so it is
 * said here, in the words of git 2.39. What comes then, the objects, is git's own work.
 */

const AGENT = "agent=git/playground";
const NOTHING = "0".repeat(40);
const FETCHING = [
  "ls-refs=unborn",
  "fetch=shallow wait-for-done filter",
  "server-option",
  "object-format=sha1",
];
const PUSHING = [
  ...["report-status", "report-status-v2", "delete-refs", "side-band-64k", "quiet", "atomic", "ofs-delta"],
  "object-format=sha1",
  AGENT,
];

export const announce = (service: string): Buffer =>
  Buffer.concat([pktLine(`# service=${service}\n`), FLUSH]);

/** To those who speak the second version: what may be asked. */
export function fetchCapabilities(): Buffer {
  return Buffer.concat([...["version 2", AGENT, ...FETCHING].map((line) => pktLine(`${line}\n`)), FLUSH]);
}

/** To those who push: all refs but the heads of pull requests, which nobody may push. */
export async function pushRefs(gitDir: string): Promise<Buffer> {
  const refs = await listRefs(gitDir, "refs/", { without: "refs/pull/" });
  const shown = refs.length > 0 ? refs : [{ ref: "capabilities^{}", sha: NOTHING }];
  const lines = shown.map(({ ref, sha }, index) => {
    const more = index === 0 ? `\0${PUSHING.join(" ")}` : "";
    return pktLine(`${sha} ${ref}${more}\n`);
  });
  return Buffer.concat([...lines, FLUSH]);
}

/** The answer to the question for refs in the second version; null when something else is asked. */
export async function answerRefs(gitDir: string, body: Buffer): Promise<Buffer | null> {
  if (!body.toString("latin1", 4, 19).startsWith("command=ls-refs")) return null;
  const asked = readPktLines(body).lines.map((line) => line.toString("utf8").replace(/\n$/, ""));
  const prefixes = asked.flatMap((line) => (line.startsWith("ref-prefix ") ? [line.slice(11)] : []));
  const isWanted = (name: string): boolean =>
    prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
  const lines = [
    ...(isWanted("HEAD") ? await headLine(gitDir, asked) : []),
    ...(await refLines(gitDir, prefixes, asked.includes("peel"))),
  ];
  return Buffer.concat([...lines.map((line) => pktLine(`${line}\n`)), FLUSH]);
}

async function headLine(gitDir: string, asked: readonly string[]): Promise<string[]> {
  const branch = await readSymbolicRef(gitDir, "HEAD");
  const found = await objectsOf(gitDir).info("HEAD");
  const target = branch !== null && asked.includes("symrefs") ? ` symref-target:${branch}` : "";
  if (found) return [`${found.sha} HEAD${target}`];
  return asked.includes("unborn") && branch !== null ? [`unborn HEAD${target}`] : [];
}

async function refLines(gitDir: string, prefixes: readonly string[], peel: boolean): Promise<string[]> {
  const below = prefixes
    .filter((prefix) => prefix !== "HEAD")
    .map((prefix) => ("refs/".startsWith(prefix) ? "refs/" : prefix));
  const lists = await Promise.all(
    (prefixes.length === 0 ? ["refs/"] : below).map((prefix) => listRefs(gitDir, prefix)),
  );
  // A name may be below several of them.
  const refs = new Map(lists.flat().map(({ ref, sha }) => [ref, sha]));
  const sorted = [...refs].sort(([one], [other]) => (one < other ? -1 : 1));
  return Promise.all(
    sorted.map(async ([ref, sha]) => {
      // Branches hold commits; only what is tagged can be a tag of its own.
      const isTag = peel && ref.startsWith("refs/tags/");
      const whole = isTag ? ((await objectsOf(gitDir).info(`${sha}^{}`))?.sha ?? sha) : sha;
      return `${sha} ${ref}${whole === sha ? "" : ` peeled:${whole}`}`;
    }),
  );
}
