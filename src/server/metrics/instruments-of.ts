/**
 * Builds instruments from rows of a table. Each instrument reports one number of some statistics, or several numbers
 * with attributes.
 */

import type { Attributes, counter, gauge, Instrument, upDownCounter } from '#observe';

export type Values = (readonly [Attributes, number])[];

export type InstrumentRow<All> = readonly [
  make: typeof counter | typeof gauge | typeof upDownCounter,
  name: string,
  unit: string,
  description: string,
  value: (all: All) => number | Values | undefined,
];

/** `read` returns `undefined` if there are no statistics. */
export function instrumentsOf<All extends object>(
  read: () => All | undefined,
  rows: readonly InstrumentRow<All>[],
): readonly Instrument[] {
  return rows.map(([make, name, unit, description, value]) =>
    make(name, unit, description, () => {
      const all = read();
      return all && value(all);
    }),
  );
}
