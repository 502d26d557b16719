/** Parses query parameters of several types. An absent parameter is `undefined`, and a malformed one is refused. */

import { malformedParameter, type QueryParameters } from './parameters.ts';

export function oneOfParameter<const T extends string>(
  query: QueryParameters,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = query.get(name);
  if (value === undefined) return undefined;
  const known = allowed.find((candidate) => candidate === value);
  if (known !== undefined) return known;
  throw malformedParameter(name, `expected one of ${allowed.join(', ')}`);
}

/** Returns an integer of at least 0. */
export function integerParameter(query: QueryParameters, name: string): number | undefined {
  const value = query.get(name);
  if (value === undefined) return undefined;
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw malformedParameter(name, 'expected an integer of at least 0');
}

/** Returns the milliseconds of a duration such as `30s` or `500ms`, at most `maxMs`. */
export function durationParameter(
  query: QueryParameters,
  name: string,
  maxMs: number,
): number | undefined {
  const value = query.get(name);
  if (value === undefined) return undefined;
  const parts = /^(\d{1,7})(ms|s)$/.exec(value);
  if (parts === null) throw malformedParameter(name, 'expected a duration such as 30s or 500ms');
  const ms = Number(parts[1]) * (parts[2] === 's' ? 1000 : 1);
  return Math.min(ms, maxMs);
}
