/** The protocols of docs/bucket-protocol.md and of the directory hold within small bounds, and each rule that is broken on purpose is noticed. */

import { expect, test } from 'bun:test';
import { bucketModel } from './bucket/model.ts';
import { flags as bucketFlags, bucketSetting } from './bucket/setting.ts';
import { explore } from './explore.ts';
import { flags as localFlags } from './local/setting.ts';
import { carryOut, runs } from './runs.ts';

for (const run of runs.filter(({ size }) => size === 'quick')) {
  test(`${run.model}: ${run.words || 'default'} is ${run.expected}`, () => {
    const outcome = carryOut(run);
    expect(outcome.kind).toBe(run.expected);
    expect(outcome.path.length > 0).toBe(run.expected === 'violation');
  }, 60_000);
}

test('every planted bug is looked for', () => {
  const planted = runs.map(({ words }) => words).join(' ');
  for (const flag of [...Object.keys(bucketFlags), ...Object.keys(localFlags)]) {
    expect(planted).toContain(flag);
  }
});

test('a counterexample is a story, step by step', () => {
  const setting = bucketSetting('trust412');
  const { what, path } = explore(bucketModel(setting), 1_000);
  expect(what).toBe('a writer is fenced though nobody opened after it');
  expect(path).toEqual([
    'writer 0 PUT wal/2: timeout',
    'network: PUT wal/2 arrives',
    'writer 0 reads wal/2 back: taken',
  ]);
});

test('a search ends where it is told to', () => {
  expect(explore(bucketModel(bucketSetting('')), 100)).toMatchObject({
    kind: 'stopped',
    states: 100,
  });
  expect(() => bucketSetting('nosuch')).toThrow('unknown word');
});
