/** The clock and the random numbers of the statements of one open transaction. */

import type { Random, World } from '#base';

const seedBytes = 32;

/** The values that decide what the statements of one open transaction generate. */
export interface BlockSeed {
  /** Time at which the transaction began. */
  readonly unixMs: number;
  readonly seed: Uint8Array;
}

export function drawSeed({ clock, random }: World): BlockSeed {
  return { unixMs: clock.unixMs(), seed: random.fill(new Uint8Array(seedBytes)) };
}

/**
 * Returns a world whose Unix time is constant, so that all statements of a transaction have the same time. The same seed gives the same random
 * numbers, so that statements which run again generate the same ids.
 */
export function blockWorld(world: World, { unixMs, seed }: BlockSeed): World {
  const { clock } = world;
  return {
    ...world,
    clock: { unixMs: () => unixMs, monotonicMs: () => clock.monotonicMs() },
    random: seededRandom(seed),
  };
}

/** Random bytes: SHA-256 of the seed and a counter. They are as hard to guess as the seed. */
function seededRandom(seed: Uint8Array): Random {
  let counter = 0;
  let block: Uint8Array = new Uint8Array(0);
  let used = 0;
  const fill = (target: Uint8Array) => {
    for (let i = 0; i < target.length; i++) {
      if (used === block.length) {
        block = new Bun.CryptoHasher('sha256').update(seed).update(`${counter++}`).digest();
        used = 0;
      }
      target[i] = block[used++] as number;
    }
    return target;
  };
  const unit = () => {
    const [high, low] = new Uint32Array(fill(new Uint8Array(8)).buffer) as unknown as [
      number,
      number,
    ];
    return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
  };
  return { fill, unit };
}
