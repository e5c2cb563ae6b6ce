import { type DemoWorld, type DemoWorldOptions, openDemoWorld } from "./open-demo-world.ts";

/** What a shell expects of a program that a signal ended. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof EXIT_CODES;

/**
 * Opens the world, works in it, and closes it however the work ends: by itself, by an error, by Ctrl-C, by a part of Loom
 * that died. Resolves with the exit code.
 */
export async function inDemoWorld(
  options: DemoWorldOptions,
  work: (demo: DemoWorld) => Promise<void>,
): Promise<number> {
  const stopped = untilStopped();
  stopped.catch(() => {});
  const demo = await openDemoWorld(options);
  try {
    const died = demo.died.then((how) => {
      throw new Error(how);
    });
    const worked = work(demo).then(() => 0);
    // Whichever loses the race must not end the process by an error nobody waits for.
    for (const loser of [died, worked]) loser.catch(() => {});
    return await Promise.race([worked, died, stopped]);
  } finally {
    await demo.close();
  }
}

function untilStopped(): Promise<number> {
  return new Promise((resolve, reject) => {
    for (const signal of Object.keys(EXIT_CODES) as Signal[])
      process.on(signal, () => {
        process.stderr.write("\nStopping Loom and cleaning up …\n");
        resolve(EXIT_CODES[signal]);
      });
    // Whoever read our output went away, as in `npm run demo | head`.
    process.stdout.on("error", () => resolve(0));
    process.on("uncaughtException", reject);
    process.on("unhandledRejection", reject);
  });
}
