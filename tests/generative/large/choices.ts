/** Drawing by a seed. */

import { seededRandom } from '../../support/seeded-random.ts';

export class Draw {
  readonly unit: () => number;

  constructor(seed: number) {
    this.unit = seededRandom(seed);
  }

  /** A whole number from 0, less than the bound. */
  readonly below = (bound: number): number => Math.floor(this.unit() * bound);

  readonly pick = <T>(of: readonly T[]): T => of[this.below(of.length)] as T;

  readonly oneIn = (n: number): boolean => this.below(n) === 0;
}
