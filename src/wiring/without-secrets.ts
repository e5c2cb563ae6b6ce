import { type Redact, redactAll } from "../core/report/redact.ts";
import type { RunEvent } from "../core/run/events.ts";
import type { Feed } from "../ports/feed.ts";
import type { RunFiles } from "../ports/run-files.ts";

/** The doors through which text leaves Loom's memory: ledgers, files, screens. Secrets are taken out at each of them. */

export function eventWithoutSecrets(redact: Redact): (event: RunEvent) => RunEvent {
  // A plan runs exactly as it was written; it is the person's own file.
  return (event) => (event.type === "run-created" ? event : redactAll(event, redact));
}

export function filesWithoutSecrets(files: RunFiles, redact: Redact): RunFiles {
  return {
    ...files,
    openLog(run, stage, attempt) {
      const log = files.openLog(run, stage, attempt);
      return { path: log.path, write: (line) => log.write(redact(line)), close: () => log.close() };
    },
    writeReport: (run, name, text) => files.writeReport(run, name, redact(text)),
    writeHeartbeat: (run, beat) => files.writeHeartbeat(run, redactAll(beat, redact)),
  };
}

export function feedWithoutSecrets(feed: Feed, redact: Redact): Feed {
  return (item) => {
    if (item.kind === "event") feed({ ...item, event: redactAll(item.event, redact) });
    else feed({ ...item, text: redact(item.text) });
  };
}
