import { assertNever, type Next, type NextCommand } from "../../errors.ts";
import { commandFor } from "./escalation.ts";

/** What an error tells people to do next, with the commands as they are written where it is read; empty: nothing. */
export function nextWords(next: Next | null, where: "terminal" | "github"): string {
  if (next === null || typeof next === "string") return next ?? "";
  const spell = where === "terminal" ? inTerminal : onGitHub;
  return next.map((part) => (typeof part === "string" ? part : spell(part))).join("");
}

function inTerminal(command: NextCommand): string {
  switch (command.verb) {
    case "status":
      return command.run === null ? "`loom status`" : commandFor.status(command.run);
    case "resume":
      return commandFor.resume(command.run);
    case "cancel":
      return commandFor.cancel(command.run);
    case "start-over":
      return "`loom run <plan> --clean`";
    default:
      return assertNever(command);
  }
}

/** There, a command means the run of the thread that it stands in. */
function onGitHub({ verb }: NextCommand): string {
  return verb === "start-over" ? "`/loom run`" : `\`/loom ${verb}\``;
}
