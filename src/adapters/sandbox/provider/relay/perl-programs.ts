import { systemCalls } from "../bubblewrap/system-calls.ts";
import { enterProgram } from "./enter-in-perl.ts";
import { relayProgram } from "./relay-in-perl.ts";

/**
 * The two small programs around a sandbox, in Perl, which most systems have: it starts in 2 ms where Node takes 110 ms and
 * 40 MB, and calls the kernel by itself where a shell needs `mount`, `unshare` and `setpriv` one after the other. Neither
 * loads a module.
 *
 * Rejected: `socat`, which few have and which can't tell how a program ended; bubblewrap's own report, in which a program
 * that was killed and one that exits with 137 are the same; one relay for several programs, which then share its namespaces.
 */
export const PERL = "/usr/bin/perl";

export type PerlPrograms = { readonly enter: string; readonly relay: string };

/** null for machines whose numbers are not known here. */
export function perlPrograms(architecture: string): PerlPrograms | null {
  const calls = systemCalls(architecture);
  return calls ? { enter: enterProgram(calls), relay: relayProgram(calls) } : null;
}
