// Reads what `loom drill --json` wrote to the file that is named, and fails when a defence did not hold. A machine without a
// sandbox can't show whether defences hold, and passes unless LOOM_CI_NEEDS_SANDBOX=1. What the settings of a machine leave open
// is told by `loom drill` to whoever runs Loom there, and is no fault of the change at hand.
import { readFileSync } from "node:fs";

const { sandbox, sandboxDetail, attacks } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const played = attacks.filter(({ id, why }) => why !== "no-sandbox" && !id.startsWith("setting-"));
const fallen = played.filter(({ outcome }) => outcome === "open");
const held = played.filter(({ outcome }) => outcome === "held").length;
console.log(
  `sandbox: ${sandboxDetail}; ${played.length} attacks, ${held} held, ${fallen.length} got through`,
);
for (const { title, reason, fix } of fallen) console.log(`${title}: ${reason}\n  ${fix}`);

const unplayed = attacks.filter(({ why }) => why === "no-sandbox").length;
const lacksSandbox =
  process.env.LOOM_CI_NEEDS_SANDBOX === "1" && (sandbox !== "bubblewrap" || unplayed > 0 || held === 0);
if (lacksSandbox)
  console.log(`LOOM_CI_NEEDS_SANDBOX=1 asks for bubblewrap, which this machine lacks: ${unplayed} attacks could not be played.
  Install it, and let it make user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`);
process.exitCode = fallen.length > 0 || lacksSandbox ? 1 : 0;
