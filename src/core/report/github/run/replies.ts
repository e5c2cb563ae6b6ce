import { cutMarkdown, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import { approvalReplies } from "../plan/approval-replies.ts";
import { runReplies } from "./run-replies.ts";
import { steerReplies } from "./steer-replies.ts";

/** Every sentence with which Loom answers a command, a label or a button. */
export const replies = {
  ...runReplies,
  ...approvalReplies,
  ...steerReplies,
  /** A comment gets one reply, however many commands it held. */
  together(parts: readonly string[]): string {
    const texts = parts.map((part) => part.trim()).filter((part) => part !== "");
    return cutMarkdown(`${texts.join("\n\n---\n\n")}\n`, MAX_COMMENT, "");
  },
};
