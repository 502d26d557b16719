/** The generator calls every function of the registry. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Expression } from '#lir';
import { functionNames } from '#value';
import { callOf } from './call.ts';
import { Choices } from './choices.ts';
import type { Draft } from './scope.ts';
import { scalars } from './values.ts';

test('random calls reach every function', () => {
  const missing = new Set<string>(functionNames);
  for (let seed = 0; seed < 2_000 && missing.size > 0; seed++) {
    const random = fc.sample(fc.array(fc.nat(), { minLength: 60, maxLength: 60 }), {
      seed,
      numRuns: 1,
    });
    const draft = { choices: new Choices(random[0] as number[]) } as Draft;
    const place = { draft, scopes: [], outer: [], allowsCrossings: false, depth: 2 };
    for (const type of scalars) remove(callOf(place, type));
  }
  expect([...missing]).toEqual([]);

  function remove(call: Expression): void {
    if (call.kind === 'call') missing.delete(call.fn);
  }
});
