/** What a compiled schema is: a function that reports what is wrong with a JSON value. */

import { ExactNumber } from '#value';
import type { Report } from './report.ts';

/** Checks `value`, which stands at the first `depth` steps of `report.path`. Silence means that the value conforms. */
export type Check = (value: unknown, depth: number, report: Report) => void;

type JsonObject = Readonly<Record<string, unknown>>;

/** An `ExactNumber` is a number to the sender. */
export function isObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  return !Array.isArray(value) && !(value instanceof ExactNumber);
}
