import { redactFindings } from "../core/findings/redact-findings.ts";
import type { RunEvent } from "../core/run/events.ts";
import { type Redact, redactAll } from "../core/secrets/redact.ts";
import type { TaskEvent } from "../core/task/task-events.ts";
import type { Feed } from "../ports/feed.ts";
import type { RepositoryPorts } from "../ports/github/repository-ports.ts";
import type { RunFiles } from "../ports/run-files.ts";

/** Wherever text leaves Loom's memory: ledgers, files, screens, GitHub. Secrets are taken out at each of them. */

export function eventWithoutSecrets(redact: Redact): (event: RunEvent) => RunEvent {
  // A plan runs exactly as it was written; it is the person's own file.
  return (event) =>
    event.type === "run-created" || event.type === "plan-amended" ? event : redactAll(event, redact);
}

export function taskWithoutSecrets(redact: Redact): (event: TaskEvent) => TaskEvent {
  return (event) =>
    event.type === "audit-written"
      ? { ...redactAll(event, redact), result: redactFindings(event.result, redact) }
      : redactAll(event, redact);
}

export function filesWithoutSecrets(files: RunFiles, redact: Redact): RunFiles {
  return {
    ...files,
    openLog(run, stage, attempt) {
      const log = files.openLog(run, stage, attempt);
      return {
        path: log.path,
        write: (line) => {
          if (!log.skip?.(line)) log.write(redact(line));
        },
        close: () => log.close(),
      };
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

/**
 * A second lock. What is shown was read from ledgers and holds no secret; but on its way agents' Markdown was taken apart
 * and written anew, and pieces may stand side by side now that did not before. Files of a plan are bound to an approval
 * by their bytes, and stay what they are.
 */
export function portsWithoutSecrets(ports: RepositoryPorts, redact: Redact): RepositoryPorts {
  const { threads, pulls, reviews, checks, planBranch } = ports;
  return {
    ...ports,
    threads: {
      ...threads,
      comment: (number, key, body, below) => threads.comment(number, key, redact(body), below),
      editComment: (comment, body) => threads.editComment(comment, redact(body)),
    },
    pulls: {
      ...pulls,
      editPull: (number, change) => pulls.editPull(number, redactAll(change, redact)),
    },
    reviews: {
      ...reviews,
      review: (number, { body, remarks, ...rest }) =>
        reviews.review(number, {
          ...rest,
          body: redact(body),
          remarks: remarks.map((remark) => ({ ...remark, body: redact(remark.body) })),
        }),
      editReview: (number, key, write) => reviews.editReview(number, key, (before) => redact(write(before))),
      editRemark: (remark, body) => reviews.editRemark(remark, redact(body)),
    },
    checks: {
      putCheck: (check, known) =>
        checks.putCheck(
          {
            ...check,
            title: redact(check.title),
            summary: redact(check.summary),
            text: check.text === null ? null : redact(check.text),
          },
          known,
        ),
    },
    planBranch: {
      offerPlan: ({ message, title, body, ...rest }) =>
        planBranch.offerPlan({ ...rest, message: redact(message), title: redact(title), body: redact(body) }),
      amendOffer: ({ message, ...rest }) => planBranch.amendOffer({ ...rest, message: redact(message) }),
    },
  };
}
