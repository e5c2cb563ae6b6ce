import { finishedJson } from "../../core/report/commands/finished-json.ts";
import { withoutPlanText } from "../../core/report/terminal/history-lines.ts";
import type { OutputStream, RunOutput } from "./run-output.ts";
import { createTolerantWriter } from "./tolerant-writer.ts";

/**
 * One JSON object per line. The ledger's own `run-finished` is not shown: the last line has the same type and says
 * more, and a program that waits for the type must not find it twice.
 */
export function createJsonOutput(stream: OutputStream): RunOutput {
  const write = createTolerantWriter(stream);
  const line = (value: object): void => write(`${JSON.stringify(value)}\n`);
  return {
    show(item) {
      switch (item.kind) {
        case "event":
          if (item.event.type !== "run-finished") line({ ...withoutPlanText(item.event), run: item.run.id });
          return;
        case "activity": {
          // Whoever reads slower than an agent works is told the next one.
          if (stream.writableNeedDrain) return;
          const { run, stage, attempt, at, text } = item;
          line({ type: "activity", at, stage, attempt, text, run });
          return;
        }
        case "notice":
          line({ type: "notice", text: item.text, run: item.run });
          return;
      }
    },
    note(text) {
      line({ type: "notice", text });
    },
    finish({ run, status, elapsedMs }) {
      line(finishedJson(run, status, elapsedMs));
    },
    close() {},
  };
}
