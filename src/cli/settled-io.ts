import { drillEnv } from "../wiring/settings/drill-settings.ts";
import { settleSettings } from "../wiring/settings/settings-sources.ts";
import { explain, type Io } from "./io.ts";

/** They read a file of their own first; see settledForService. */
const SERVICES = ["app", "worker"];
/** They start nothing, or tell it themselves. */
const LOOKERS = ["logs", "report", "runs", "settings", "status"];

/** What a command may touch, with its settings completed from the `.env` files of the repository and of the user. */
export async function settledIo(io: Io, command: string): Promise<Io> {
  if (command === "drill") return settledForDrill(io);
  return SERVICES.includes(command) ? io : settle(io, io.cwd, !LOOKERS.includes(command));
}

/** The same for a service, which works in no repository. */
export async function settledForService(io: Io): Promise<Io> {
  return settle(io, null, true);
}

/** The drill looks at the service where there is one, so the same file comes first. */
async function settledForDrill(io: Io): Promise<Io> {
  const { env, file } = await drillEnv(io.env, io.cwd);
  for (const text of file?.warnings ?? []) explain(io, text, null);
  return settle({ ...io, env }, file === null ? io.cwd : null, true);
}

async function settle(io: Io, workspace: string | null, tells: boolean): Promise<Io> {
  const settled = await settleSettings(io.env, workspace);
  if (tells) for (const text of settled.warnings) explain(io, text, null);
  return { ...io, env: settled.env, settled };
}
