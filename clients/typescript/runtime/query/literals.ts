/** Values in texts, and lists of them. */

import { BuildError } from '../client/build-error.ts';
import type { Code } from '../table-info.ts';
import { encode, typeOf } from '../wire/codec.ts';
import type { Ex } from './parts.ts';

const isPlain = /^\w*$/;

/** Names are mostly plain, which is found out in less time than JSON.stringify takes. */
export const jsonText = (value: unknown) =>
  typeof value === 'string' && isPlain.test(value) ? `"${value}"` : JSON.stringify(value);

/** Up to the next power of two by the last one: few texts for many lengths. */
export function padded<T>(values: readonly T[]): readonly T[] {
  if (values.length === 0) return values;
  const size = 2 ** Math.ceil(Math.log2(values.length));
  const last = values[values.length - 1] as T;
  return [...values, ...new Array<T>(size - values.length).fill(last)];
}

/** Around the number of a value that is known when a prepared query runs; no text of JSON holds such a character. */
export const paramMark = '\u0001';

/** The values of the prepared operation that is being made text. */
let preparing: unknown;

export function whilePreparing<T>(values: unknown, work: () => T): T {
  const outside = preparing;
  preparing = values;
  try {
    return work();
  } finally {
    preparing = outside;
  }
}

/** `of`: the values that it is one of. */
export function paramText({ at, of }: { readonly at: number; readonly of: unknown }): string {
  if (of !== preparing)
    throw new BuildError('a value of a prepared operation stands in another one, or in none');
  return `{"kind":"lit","value":${paramMark}${at}${paramMark}}`;
}

export function literalText(code: Code, value: unknown, what: string): string {
  const type = typeOf(code);
  if (value === null) return `{"type":"${type}"}`;
  return `{"type":"${type}","value":${jsonText(encode(code, value, what))}}`;
}

export function cellText({ term, code }: Ex, name: string | undefined): string {
  if (term.kind !== 'lit') throw new BuildError(`${name}: rows take values, not expressions`);
  const { value } = term;
  return value === null ? 'null' : jsonText(String(encode(code, value, name ?? 'a cell')));
}
