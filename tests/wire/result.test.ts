/** The schemas of answers, against answers at the ends of what they allow. */

import { expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { resultDefinitions } from '#wire';

test('a statement may affect no rows, but not fewer', () => {
  const { StatementResult } = resultDefinitions;
  const of = (affected: number) => ({ name: 's', affected, control: null });
  expect(Value.Check(StatementResult, of(0))).toBe(true);
  expect(Value.Check(StatementResult, of(-1))).toBe(false);
  expect(Value.Check(StatementResult, of(0.5))).toBe(false);
});
