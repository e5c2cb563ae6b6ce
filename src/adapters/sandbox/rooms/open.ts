import type { Room, Walls } from "../../../ports/room.ts";
import { hostPrograms } from "../../os/host-programs.ts";
import { passedEnvironment } from "./clean-environment.ts";
import type { LimitWatcher } from "./limit-watcher.ts";
import { openPlainRoom } from "./plain-room.ts";
import type { RoomsOptions } from "./rooms-options.ts";
import type { Environment } from "./shown-programs.ts";

/** Rooms without walls: agents and checks have the operator's rights, home and network. */
export function createOpenOpener(
  options: RoomsOptions,
  watcher: LimitWatcher,
): (walls: Walls) => Promise<Room> {
  const { supervisor, folder } = options;
  const host = hostPrograms(options.env, options.cwd);
  const env = { ...operatorEnvironment(options.env), PATH: host.searchPath };
  return (walls) =>
    openPlainRoom({ supervisor, watcher, folder, walls, environment: () => env, command: (argv) => argv });
}

/** As in the operator's terminal, so that agents and checks behave as they do there; git and Loom settings apart. */
function operatorEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(?:GIT_|LOOM_)/.test(entry[0]),
  );
  return { ...Object.fromEntries(kept), ...passedEnvironment(env) };
}
