/**
 * What works on a repository's runs, loaded together: each of these needs most of the engine, and a file more for every set of
 * commands that share something would cost more than what is not needed.
 */
export { archive } from "./archive.ts";
export { ask } from "./ask.ts";
export { audit } from "./audit.ts";
export { clean } from "./clean.ts";
export { doctor } from "./doctor.ts";
export { drill } from "./drill.ts";
export { orchestrate } from "./orchestrate.ts";
export { planNew } from "./plan-new.ts";
export { report } from "./report.ts";
export { run } from "./run.ts";
export { logs, runs, status } from "./status.ts";
export { answer, cancel, resume, retry, skip } from "./steer.ts";
