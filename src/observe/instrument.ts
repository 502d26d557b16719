/** An instrument: what is counted somewhere, under the name by which the world knows it. */

import type { DurationHistogram, Histogram, RowHistogram } from './histogram.ts';

export type Attributes = Readonly<Record<string, string | boolean>>;

export interface Point<V> {
  readonly attributes: Attributes;
  readonly value: V;
}

interface InstrumentFacts {
  /** As OpenTelemetry writes it: `svc.program.duration`. */
  readonly name: string;
  /** Of UCUM: `s`, `By`, `1`, or `{programs}`. */
  readonly unit: string;
  readonly description: string;
}

export type Instrument =
  | (InstrumentFacts & {
      /** `counter` only grows; `sum` goes up and down and can be added up over processes; `gauge` cannot. */
      readonly kind: 'counter' | 'sum' | 'gauge';
      readonly read: () => readonly Point<number>[];
    })
  | (InstrumentFacts & {
      readonly kind: 'histogram';
      readonly read: () => readonly Point<Histogram>[];
    });

/** Of one instrument; what goes beyond is left out by the exporter. */
export const pointsMax = 256;

/** One value without attributes, several with them, or none where there is nothing to tell. */
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

/** A histogram of numbers of rows, with the same bounds for every instrument. */
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
