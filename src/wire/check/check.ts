/** The type of a compiled schema: a function that reports the errors of a JSON value. */

import { ExactNumber } from '#value';
import type { Report } from './report.ts';

/** Checks `value`, whose position is the first `depth` steps of `report.path`. The value conforms if the check reports nothing. */
export type Check = (value: unknown, depth: number, report: Report) => void;

type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether the value is a JSON object. An `ExactNumber` is not: it represents a number of the sender. */
export function isObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  return !Array.isArray(value) && !(value instanceof ExactNumber);
}
