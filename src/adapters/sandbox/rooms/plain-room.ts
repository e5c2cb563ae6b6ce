import { join } from "node:path";
import { InternalError } from "../../../core/errors.ts";
import type { Room, Walls } from "../../../ports/room.ts";
import type { ProcessSpec, Sandbox } from "../../../ports/sandbox.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import { guardFile } from "../gateway/program-files.ts";
import { createShellShim } from "../gateway/shell-shim.ts";
import type { LimitWatcher } from "./limit-watcher.ts";
import { makeRoomFolder, type RoomFolder } from "./room-folder.ts";
import { notStarted, superviseRoom } from "./supervise-room.ts";

export type PlainRoomOptions = {
  readonly supervisor: Sandbox;
  readonly watcher: LimitWatcher;
  readonly folder: string;
  readonly walls: Walls;
  /** `gateway` is where the room's doors are, if it has any. */
  environment(files: RoomFolder, gateway: string | null): Record<string, string>;
  command(argv: ProcessSpec["argv"]): ProcessSpec["argv"];
};

/**
 * A room that Loom builds no walls for. What is left: a gateway on the machine's loopback, so that the model's key still
 * does not enter and the judge is heard, a home, and limits by watching.
 */
export async function openPlainRoom(options: PlainRoomOptions): Promise<Room> {
  const { supervisor, walls } = options;
  const files = makeRoomFolder(options.folder, walls.home, () => {});
  try {
    const needsGateway = walls.model !== null || walls.judge !== null;
    const gateway = needsGateway ? await openGateway({ listen: { kind: "loopback" }, walls }) : null;
    const url = gateway?.url ?? null;
    const env = {
      ...options.environment(files, url),
      ...(url === null ? {} : { LOOM_GATEWAY: url }),
    };
    const guard: Room["guard"] = walls.judge ? [process.execPath, guardFile()] : null;
    const shells = guard && (await createShellShim(join(files.control, "shells"), guard));
    const supervision = superviseRoom({
      watcher: options.watcher,
      limits: walls.limits,
      folders: [walls.tree, files.home, files.tmp],
      onRefused: walls.onRefused,
      async onClose() {
        await gateway?.close();
        await files.remove();
      },
    });
    return {
      home: files.home,
      tmp: files.tmp,
      modelUrl: walls.model && url !== null ? `${url}/.loom/model` : null,
      guard,
      shells,
      env,
      spawn(spec) {
        if (supervision.isClosed()) throw new InternalError("the room is closed");
        const exceeded = supervision.exceeded();
        if (exceeded !== null) return notStarted(exceeded);
        return supervision.admit(
          supervisor.spawn({
            argv: options.command(spec.argv),
            cwd: spec.cwd,
            env: { ...env, ...spec.env },
            stdin: spec.stdin,
            marker: walls.marker,
          }),
        );
      },
      denied: () => gateway?.denied() ?? [],
      exceeded: () => supervision.exceeded(),
      close: () => supervision.close(),
    };
  } catch (error) {
    await files.remove();
    throw error;
  }
}
