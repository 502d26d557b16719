/** Fingerprints of plans: made once for each plan, of the explained text without literals. */

import { expect, test } from 'bun:test';
import { type Engine, fingerprint, type PreparedProgram, type RequestContext } from '#engine';
import { rememberPlans } from '../../../src/http/program/diagnosis/plan-fingerprints.ts';

function prepared(...kinds: readonly string[]): PreparedProgram {
  const statements = kinds.map((kind, i) => ({ kind, name: `s${i}` }));
  return { plan: { statements }, planFingerprints: undefined } as unknown as PreparedProgram;
}

function setting(explain = async () => ({ statements: [{ name: 's0', text: 'scan t' }] })) {
  const calls: unknown[] = [];
  const context = {} as RequestContext;
  const engine = {
    explainFamily: (plan: unknown, given: unknown) => {
      expect(given).toBe(context);
      calls.push(plan);
      return explain();
    },
  } as unknown as Engine;
  return { calls, remember: (of: PreparedProgram) => rememberPlans(engine, of, context) };
}

test('a plan is explained once, and keeps its fingerprints', async () => {
  const { calls, remember } = setting();
  const program = prepared('query', 'catalog');
  await remember(program);
  expect(program.planFingerprints).toEqual(new Map([['s0', fingerprint('scan t')]]));
  expect(remember(program)).toBeUndefined();
  expect(calls).toEqual([program.plan]);
});

test('changes of the catalog alone have no plan, and many statements would take too long', async () => {
  const { calls, remember } = setting();
  expect(remember(prepared('catalog', 'catalog'))).toBeUndefined();
  expect(remember(prepared(...Array<string>(65).fill('query')))).toBeUndefined();
  expect(calls).toEqual([]);
  await remember(prepared(...Array<string>(64).fill('query')));
  expect(calls).toHaveLength(1);
});

test('a request that ends first leaves the plan as it was, and the next one explains it', async () => {
  const program = prepared('query');
  const ended = setting(() => Promise.reject(new Error('ended')));
  await ended.remember(program);
  expect(program.planFingerprints).toBeUndefined();
  await setting().remember(program);
  expect(program.planFingerprints?.size).toBe(1);
});
