/**
 * Files of a diff whose added lines hold text that people don't see as it is: marks that reverse its direction, so that
 * code reads other than it runs, and characters without a shape, in which whole sentences for the next agent can stand
 * (T45). Single ones are left alone: scripts and emoji need them.
 */
export function hiddenTextIn(diff: string): { readonly path: string; readonly what: string }[] {
  const found = new Map<string, string>();
  let path = "";
  let isBody = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("diff --git ")) isBody = false;
    else if (line.startsWith("@@")) isBody = true;
    else if (!isBody && line.startsWith("+++ "))
      path = line
        .slice(4)
        .replace(/^"?b\//, "")
        .replace(/"$/, "");
    else if (isBody && line.startsWith("+") && !found.has(path)) {
      const what = REVERSING.test(line)
        ? "reverses the direction of text"
        : UNSEEN.test(line)
          ? "holds text that can't be seen"
          : null;
      if (what !== null) found.set(path, what);
    }
  }
  return [...found].map(([file, what]) => ({ path: file, what }));
}

const REVERSING = /[\u202a-\u202e\u2066-\u2069]/;

// Flags of regions are spelled in a few tags behind a black flag.
const UNSEEN =
  /(?<![\u{1f3f4}\u{e0020}-\u{e007f}])[\u{e0000}-\u{e007f}]|[\u{e0000}-\u{e007f}]{8}|[\u{e0100}-\u{e01ef}]{2}|(?:[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]){4}/u;
