/** Chance that comes from a seed: the same seed throws the same numbers. */

import { seededRandom } from '../storage/object/seeded-world.ts';

export class Dice {
  /** In [0, 1). */
  readonly unit: () => number;

  constructor(seed: number) {
    this.unit = seededRandom(seed);
    // Neighbouring seeds are alike at first.
    for (let i = 0; i < 4; i++) this.unit();
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.unit() * bound);
  }

  /** A whole number in [from, to]. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** Another, independent source. */
  fork(): Dice {
    return new Dice(this.below(0x1_0000_0000));
  }

  fill(target: Uint8Array): Uint8Array {
    for (let i = 0; i < target.length; i++) target[i] = this.below(256);
    return target;
  }
}
