/** An instrument: a measured value under its public name. */

import type { DurationHistogram, Histogram, RowHistogram } from './histogram.ts';

export type Attributes = Readonly<Record<string, string | boolean>>;

export interface Point<V> {
  readonly attributes: Attributes;
  readonly value: V;
}

interface InstrumentFacts {
  /** Name in OpenTelemetry form: `svc.program.duration`. */
  readonly name: string;
  /** A UCUM unit: `s`, `By`, `1`, or `{programs}`. */
  readonly unit: string;
  readonly description: string;
}

export type Instrument =
  | (InstrumentFacts & {
      /**
       * `counter` only grows. `sum` grows and shrinks, and values of several processes can be added up. Values of a
       * `gauge` cannot be added up.
       */
      readonly kind: 'counter' | 'sum' | 'gauge';
      readonly read: () => readonly Point<number>[];
    })
  | (InstrumentFacts & {
      readonly kind: 'histogram';
      readonly read: () => readonly Point<Histogram>[];
    });

/** Maximum number of points per instrument. The exporter omits the points beyond it. */
export const pointsMax = 256;

/** One value without attributes, several values with attributes, or `undefined` if there is nothing to report. */
type Reading = number | undefined | readonly (readonly [Attributes, number])[];

function of(kind: 'counter' | 'sum' | 'gauge') {
  return (name: string, unit: string, description: string, read: () => Reading): Instrument => ({
    kind,
    name,
    unit,
    description,
    read: () => pointsOf(read()),
  });
}

export const counter = of('counter');
export const upDownCounter = of('sum');
export const gauge = of('gauge');

export function durations(
  name: string,
  description: string,
  read: () => readonly Point<DurationHistogram>[],
): Instrument {
  return { kind: 'histogram', name, unit: 's', description, read };
}

/** Creates a histogram of numbers of rows. All such instruments have the same bounds. */
export function rowCounts(
  name: string,
  description: string,
  read: () => readonly Point<RowHistogram>[],
): Instrument {
  return { kind: 'histogram', name, unit: '{rows}', description, read };
}

const noAttributes: Attributes = {};

function pointsOf(reading: Reading): readonly Point<number>[] {
  if (reading === undefined) return [];
  if (typeof reading === 'number') return [{ attributes: noAttributes, value: reading }];
  return reading.map(([attributes, value]) => ({ attributes, value }));
}
