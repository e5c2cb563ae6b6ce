import { table } from "../../../../core/table.ts";

/** The numbers of system calls that differ between machines; those since 2019 are the same on all. */
export type SystemCalls = {
  readonly unshare: number;
  readonly mount: number;
  readonly prctl: number;
  readonly prlimit: number;
};

const CALLS: Readonly<Record<string, SystemCalls>> = table({
  x64: { unshare: 272, mount: 165, prctl: 157, prlimit: 302 },
  arm64: { unshare: 97, mount: 40, prctl: 167, prlimit: 261 },
});

/** null for machines whose numbers are not known here. */
export function systemCalls(architecture: string): SystemCalls | null {
  return CALLS[architecture] ?? null;
}
