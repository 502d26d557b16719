/** Checks of arrays. */

import { TextRows } from '#value';
import type { Check } from './check.ts';
import type { JsonSchema } from './json-schema.ts';

export function compileArray(schema: JsonSchema, items: Check): Check {
  const least = schema.minItems ?? 0;
  const wanted = least === 0 ? 'an array' : `an array of at least ${least}`;
  return (value, depth, report) => {
    // Both are already known to be lists of strings and nulls.
    if (value instanceof TextRows || report.right?.has(value)) return;
    if (!Array.isArray(value)) {
      report.expected(depth, wanted, value);
      return;
    }
    if (value.length < least) report.found(depth, `expected ${wanted}, got ${value.length}`);
    for (let i = 0; i < value.length && !report.isFull; i++) {
      report.path[depth] = i;
      items(value[i], depth + 1, report);
    }
    if (schema.uniqueItems && new Set(value).size !== value.length) {
      report.path[depth] = firstRepeated(value);
      report.found(depth + 1, 'the elements of this array must be distinct');
    }
  };
}

function firstRepeated(values: readonly unknown[]): number {
  const seen = new Set<unknown>();
  return values.findIndex((value) => {
    if (seen.has(value)) return true;
    seen.add(value);
    return false;
  });
}
