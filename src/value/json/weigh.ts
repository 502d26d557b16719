/** Estimates the length of the JSON text of a row without encoding it, to decide how much is encoded in one step. */

import { ByteString, type Datum, type Row } from '../datum.ts';
import type { DatumType, OutputColumn } from '../types.ts';

/** Returns the weight in characters, or any number above `enough` once it is exceeded, so that weighing never takes long. */
export type Weigher = (datum: Datum, enough: number) => number;

/** Minimum weight of a member: writing a number takes as long as writing this many characters of a text. */
const memberWeight = 24;

/** Returns the weigher of a row that is encoded as an object. */
export function rowWeigherOf(columns: readonly OutputColumn[]): Weigher {
  // Quotes and colon of the name, a comma, and the shortest value.
  const fixed = columns.reduce((sum, { name }) => sum + Math.max(memberWeight, name.length + 5), 2);
  const varying = columns.flatMap(({ type }, at) => {
    const weigher = weigherOf(type);
    return weigher === undefined ? [] : [{ at, weigher }];
  });
  return (datum, enough) => {
    let weight = fixed;
    for (let i = 0; i < varying.length && weight <= enough; i++) {
      const { at, weigher } = varying[i] as (typeof varying)[number];
      weight += weigher((datum as Row)[at] as Datum, enough - weight);
    }
    return weight;
  };
}

/** Returns the weigher of a type; `undefined` for types whose values are all short. */
function weigherOf(type: DatumType): Weigher | undefined {
  switch (type.kind) {
    case 'int64':
    case 'float64':
    case 'bool':
      return undefined;
    case 'text':
      return (datum) => (datum === null ? 0 : (datum as string).length);
    case 'bytes':
      return (datum) => (datum instanceof ByteString ? datum.bytes.length : 0);
    case 'row': {
      const weigh = rowWeigherOf(type.columns);
      return (datum, enough) => (datum === null ? 0 : weigh(datum, enough));
    }
    case 'array': {
      const weigh = rowWeigherOf(type.columns);
      return (datum, enough) =>
        datum === null ? 0 : weighRows(weigh, datum as readonly Row[], enough);
    }
  }
}

export function weighRows(weigh: Weigher, rows: readonly Row[], enough: number): number {
  let weight = 0;
  for (let i = 0; i < rows.length && weight <= enough; i++) {
    weight += weigh(rows[i] as Row, enough - weight);
  }
  return weight;
}
