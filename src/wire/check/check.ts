/** What a compiled schema is: a function that reports what is wrong with a JSON value. */

import type { Report } from './report.ts';

/** Checks `value`, which stands at the first `depth` steps of `report.path`. Silence means that the value conforms. */
export type Check = (value: unknown, depth: number, report: Report) => void;

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
