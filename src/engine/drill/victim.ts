import type { ProcessSupervisor } from "../../ports/process-supervisor.ts";

export type Victim = { readonly pid: number; isGone(): boolean; stop(): Promise<void> };

/** What only the victim's environment holds. */
export function victimToken(mark: string): string {
  return [...mark].reverse().join("");
}

/** A program outside of every defence that does nothing, for attackers to find and to kill. */
export function startVictim(supervisor: ProcessSupervisor, mark: string): Victim {
  const running = supervisor.spawn({
    argv: ["/bin/sh", "-c", "sleep 60; :", mark],
    cwd: "/",
    env: { VICTIM_TOKEN: victimToken(mark) },
    stdin: "",
    marker: mark,
  });
  let gone = false;
  void running.exit.then(() => {
    gone = true;
  });
  return { pid: running.pid ?? 0, isGone: () => gone, stop: () => running.stop(0) };
}
