/** Bounds of integers belong to what is allowed, however the number arrives. */

import { expect, test } from 'bun:test';
import { compileDefinition } from '../../../src/wire/check/compile.ts';
import type { JsonSchema } from '../../../src/wire/check/json-schema.ts';
import { Report } from '../../../src/wire/check/report.ts';

function complaintOf(schema: JsonSchema, value: unknown): string | undefined {
  const report = new Report();
  compileDefinition('it', { it: { type: 'integer', ...schema } })(value, 0, report);
  return report.grammar[0]?.detail;
}

test('the least and the greatest are allowed, and what lies beyond is not', () => {
  const schema = { minimum: -3, maximum: 5 };
  for (const value of [-3, 0, 5, -3n, 5n]) expect(complaintOf(schema, value)).toBeUndefined();
  for (const value of [-4, 6, 0.5, -4n, 6n]) {
    expect(complaintOf(schema, value)).toBe('expected an integer from -3 to 5');
  }
});

test('without bounds an integer has none, and one of 64 bits has its own', () => {
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
  for (const schema of [{}, { format: 'int64' }]) {
    for (const value of [least, most, 2 ** 53]) expect(complaintOf(schema, value)).toBeUndefined();
    for (const value of [least - 1n, most + 1n]) {
      expect(complaintOf(schema, value)).toBe('expected an integer');
    }
  }
  expect(complaintOf({}, 2 ** 70)).toBeUndefined();
  expect(complaintOf({ format: 'int64' }, 2 ** 70)).toBe('expected an integer');
});

test('with one bound the message has one', () => {
  expect(complaintOf({ minimum: 1 }, 0)).toBe('expected an integer of at least 1');
  expect(complaintOf({ minimum: 1 }, '1')).toBe('expected an integer of at least 1, got a string');
});
