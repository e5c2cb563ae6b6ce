/**
 * Memory for bodies whose sender is not known yet: a signature covers the whole body, so it is known at the end only, and
 * anybody can send. All connections share one budget. When it is used up, whoever has occupied the most of it for the
 * longest goes: bytes times age. GitHub's deliveries are mostly small and come in one go, so they get through beside senders
 * that fill the memory or hold on to it. Turning the newest away was rejected: a few slow bodies would then keep GitHub out;
 * so was counting by address, because behind a proxy all have the same.
 *
 * It is handed out in blocks that are used again: what a flood leaves behind would otherwise be garbage, several times the
 * budget, until it is collected. A few stay for the next bodies, for which a block is seven times what is needed.
 */
export type BodyBudget = {
  /** `onCrowdedOut`: called once, when this body has to go; what it held is given back already. */
  hold(onCrowdedOut: () => void): Held;
  /** Bytes that bodies hold now. */
  used(): number;
};

export type Held = {
  /** One more block; null when this body was crowded out, now or before. Others may be. */
  block(): Buffer | null;
  /** From a sender that is known: it stays until it is released. */
  keep(): void;
  /** Its blocks are somebody else's from now on. */
  release(): void;
};

export const BLOCK_BYTES = 64 * 1024;
const SPARE_BLOCKS = 16;

type Entry = {
  readonly blocks: Buffer[];
  kept: boolean;
  readonly since: number;
  readonly onCrowdedOut: () => void;
};

export function createBodyBudget(bytes: number, now: () => number = () => performance.now()): BodyBudget {
  const most = Math.floor(bytes / BLOCK_BYTES);
  const entries = new Set<Entry>();
  let free: Buffer[] = [];
  let handedOut = 0;

  function release(entry: Entry): void {
    if (!entries.delete(entry)) return;
    handedOut -= entry.blocks.length;
    free.push(...entry.blocks);
    // After a flood.
    if (entries.size === 0) free = free.slice(0, SPARE_BLOCKS);
  }

  function crowdOut(): boolean {
    const time = now();
    const weight = ({ blocks, since }: Entry): number => blocks.length * (time - since + 1);
    let found: Entry | null = null;
    for (const entry of entries)
      if (!entry.kept && (found === null || weight(entry) > weight(found))) found = entry;
    if (found === null) return false;
    release(found);
    found.onCrowdedOut();
    return true;
  }

  return {
    used: () => handedOut * BLOCK_BYTES,
    hold(onCrowdedOut) {
      const entry: Entry = { blocks: [], kept: false, since: now(), onCrowdedOut };
      entries.add(entry);
      return {
        block() {
          while (handedOut >= most && entries.has(entry) && crowdOut());
          if (!entries.has(entry)) return null;
          const block = free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
          entry.blocks.push(block);
          handedOut += 1;
          return block;
        },
        keep() {
          entry.kept = true;
        },
        release: () => release(entry),
      };
    },
  };
}
