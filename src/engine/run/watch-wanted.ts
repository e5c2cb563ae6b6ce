export type Watch = { readonly signal: AbortSignal; close(): void };

export type Watched = {
  /** Calls back whenever the ledger grows, until the returned function is called. */
  readonly watch: (onChange: () => void) => () => void;
  readonly isWanted: () => Promise<boolean>;
  readonly outer: AbortSignal;
  /** What is told of work that nobody wants. */
  readonly what: string;
};

/**
 * Aborts with the outer signal, and when what is being done is not wanted any more. Looks whenever the ledger grows, so
 * that a cancel from another process ends the agent within seconds.
 */
export function watchWanted({ watch, isWanted, outer, what }: Watched): Watch {
  const controller = new AbortController();
  const onOuter = (): void => controller.abort(outer.reason);
  if (outer.aborted) onOuter();
  else outer.addEventListener("abort", onOuter, { once: true });
  const look = async (): Promise<void> => {
    if (!(await isWanted())) controller.abort(new Error(`the ${what} is no longer wanted`));
  };
  const lookSoon = (): void => void look().catch((error: unknown) => controller.abort(error));
  const unwatch = watch(lookSoon);
  // What was written between the claim and the watch calls nobody.
  lookSoon();
  return {
    signal: controller.signal,
    close() {
      unwatch();
      outer.removeEventListener("abort", onOuter);
    },
  };
}
