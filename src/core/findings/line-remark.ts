/** A remark of Loom's on a line of a pull request, as it stands there now. */
export type LineRemark = {
  readonly id: number;
  /** The key that it was made with; see `finding-keys.ts`. */
  readonly key: string;
  readonly body: string;
  readonly path: string;
  /** null: the line is not in the change any more. */
  readonly line: number | null;
  /** Above `line`, where it stands on several. */
  readonly startLine: number | null;
  /** Who settled the conversation; null: nobody. */
  readonly resolvedBy: "loom" | "people" | null;
  /** The first of what was said below it, by whomever. */
  readonly replies: readonly { readonly author: string; readonly text: string }[];
  /** The conversation, for settling it. */
  readonly thread: string;
};
