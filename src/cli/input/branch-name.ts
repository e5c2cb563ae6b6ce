/** People also copy a branch from where git writes it in full. */
export function branchName(written: string): string {
  return written.replace(/^refs\/heads\//, "");
}
