/** What goes wrong, how often in this seed, and how often it did. */

import type { Dice } from './dice.ts';

/** Each with the highest rate that a seed may give it, per occasion. */
const kinds = {
  'error before effect': 0.01,
  'lost reply': 0.02,
  'failed sync': 0.03,
  'failed directory sync': 0.01,
  'torn write': 0.01,
  'no space': 0.02,
  'read error': 0.02,
  'flipped read': 0.03,
  'misdirected read': 0.03,
  'stale read': 0.03,
  'short read': 0.03,
  'slow request': 0.02,
  'lost request': 0.02,
  'late request': 0.1,
  'duplicated request': 0.1,
  'error after effect': 0.1,
  '409': 0.03,
  '429': 0.03,
  '500': 0.02,
  '503': 0.03,
  pause: 0.3,
  'clock jump': 0.3,
  kill: 0.3,
  'power loss': 0.3,
  'replaced directory': 0.3,
  'crash at an effect': 0.9,
  'lost unsynced sector': 0.9,
  'torn sector': 0.5,
  'lost name': 0.9,
} as const;

export type FaultKind = keyof typeof kinds;

export const faultKinds = Object.keys(kinds) as readonly FaultKind[];

export interface FaultCount {
  /** Per occasion. */
  rate: number;
  occasions: number;
  activations: number;
}

/** What happens to a disk at a power loss is no fault of its own: it is always as bad as it may be. */
const always: readonly FaultKind[] = ['lost unsynced sector', 'torn sector', 'lost name'];

/** What the others show only with. */
const often: readonly FaultKind[] = [
  'kill',
  'power loss',
  'replaced directory',
  'crash at an effect',
  'slow request',
  'duplicated request',
];

export class Faults {
  readonly counts = new Map<FaultKind, FaultCount>();
  /** Nothing goes wrong any more. */
  isOver = false;
  private readonly dice: Dice;

  constructor(dice: Dice, share: number) {
    this.dice = dice;
    for (const kind of faultKinds) {
      const isOn = always.includes(kind) || dice.chance(often.includes(kind) ? 3 * share : share);
      const rate = isOn ? kinds[kind] * 10 ** (-1.3 * dice.unit()) : 0;
      this.counts.set(kind, { rate, occasions: 0, activations: 0 });
    }
    for (const kind of always) this.of(kind).rate = kinds[kind] * (0.3 + 0.7 * dice.unit());
  }

  /** An occasion for `kind`: whether it happens. */
  strikes(kind: FaultKind): boolean {
    const count = this.of(kind);
    count.occasions++;
    if (this.isOver || count.rate === 0 || !this.dice.chance(count.rate)) return false;
    count.activations++;
    return true;
  }

  private of(kind: FaultKind): FaultCount {
    return this.counts.get(kind) as FaultCount;
  }
}
