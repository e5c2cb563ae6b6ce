import stringWidth from "string-width";
import { formatLocalTime } from "../src/cli/output/local-time.ts";
import { wantsColor } from "../src/cli/output/wants-color.ts";
import { paint, type Tone } from "../src/core/report/terminal/paint.ts";
import { plainText } from "../src/core/text/escape-text.ts";
import { wrapText } from "../src/core/text/text-width.ts";

export type Narrator = {
  /** One line: when, who, what. What is longer than the screen goes on below. */
  tell(who: string, text: string, tone?: Tone): void;
  /** Lines as they are, without a time. */
  show(text: string): void;
  /** A heading above lines. */
  head(text: string): void;
  /** Says something when nothing was said for a while; stops with `end`. */
  whileSilent(describe: () => string): void;
  end(): void;
};

const WIDTH = 80;
const WHO_WIDTH = 5;
const INDENT = 10 + WHO_WIDTH;
const SILENCE_MS = 6_000;

export function createNarrator(
  out: Pick<NodeJS.WriteStream, "write" | "isTTY">,
  env: NodeJS.ProcessEnv,
): Narrator {
  const color = wantsColor(out, env);
  const write = (text: string): void => void out.write(`${text}\n`);
  let lastAt = Date.now();
  let timer: NodeJS.Timeout | null = null;

  function tell(who: string, text: string, tone: Tone = "plain"): void {
    lastAt = Date.now();
    const [first = "", ...rest] = wrapText(plainText(text), WIDTH - INDENT, stringWidth);
    const time = paint(formatLocalTime(lastAt), "quiet", color);
    write(`${time}  ${paint(who.padEnd(WHO_WIDTH), whoTone(who), color)}${paint(first, tone, color)}`);
    for (const line of rest) write(`${" ".repeat(INDENT)}${paint(line, tone, color)}`);
  }

  return {
    tell,
    show: write,
    head: (text) => write(`\n${paint(text, "strong", color)}`),
    whileSilent(describe) {
      timer = setInterval(() => {
        const text = describe();
        if (Date.now() - lastAt >= SILENCE_MS && text !== "") tell("", text, "quiet");
      }, 1_000);
    },
    end() {
      if (timer) clearInterval(timer);
    },
  };
}

function whoTone(who: string): Tone {
  return who === "Loom" ? "busy" : "strong";
}
