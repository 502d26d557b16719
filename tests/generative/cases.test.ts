/** Every acceptance case on every way, in `npm test` on some of them in turn, and on the oracle where it is no question of grammar. */

import { describe, expect, test } from 'bun:test';
import type { Program } from '#pir';
import { type Outcome, tableTexts } from '../oracle/index.ts';
import { type Case, loadCases } from '../support/case.ts';
import { parseLossless } from '../support/lossless.ts';
import { waysOf } from '../support/portion.ts';
import { isSameJson } from '../support/same-json.ts';
import { schemaChanges } from '../support/schema-file.ts';
import { seedPrograms } from '../support/seed.ts';
import { type Answer, differenceOf, isSameBag, showAnswer } from './answer.ts';
import { isOpen } from './compare.ts';
import { OracleWay, openWay, plannings } from './ways.ts';

const cases = loadCases();

test('all cases are there', () => {
  expect(cases.length).toBeGreaterThanOrEqual(380);
});

for (const way of Object.keys(plannings)) {
  describe(way, () => {
    for (const [index, found] of cases.entries()) {
      if (!waysOf(Object.keys(plannings), index).includes(way)) continue;
      test(`${found.theme}: ${found.name}`, () => runCase(way, found));
    }
  });
}

async function runCase(name: string, found: Case): Promise<void> {
  const changes = schemaChanges(found.schema);
  const mode = found.mode ?? 'schema';
  await using way = await openWay(name, mode, changes);
  const oracle = new OracleWay(mode, changes);
  for (const program of seedPrograms(found.schema, found.seed)) {
    expect((await way.run(program as Program)).kind).toBe('done');
    oracle.run(program as Program);
  }
  const program = structuredClone(found.program) as Program;
  const answer = await way.run(program);
  checkExpected(answer, found);
  for (const assertion of found.assertions ?? []) {
    const statement = { kind: 'query', name: 'q', relation: assertion.query };
    const seen = await way.run({ statements: [statement] } as Program);
    checkExpected(seen, { result: assertion.expect });
  }
  // Grammar is not the oracle's business, and what generators draw is not comparable.
  if (found.error?.reason === 'schema_violation' || drawsValues(found)) return;
  const expected: Outcome = oracle.run(program);
  expect(differenceOf(expected, answer), showAnswer(expected)).toBeUndefined();
  if (isOpen(expected)) return;
  for (const [table, rows] of tableTexts(oracle.database)) {
    const seen = await way.table(table);
    expect(isSameBag(seen, rows), `${table}: ${seen.join()} not ${rows.join()}`).toBe(true);
  }
}

function drawsValues(found: Case): boolean {
  const text = JSON.stringify([found.schema, found.program], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  return /(uuid_v4|uuid_v7|ulid|xid|now_ms)(\(\)|","kind|"\})/.test(text);
}

function checkExpected(answer: Answer, { error, result, affected }: Partial<Case>): void {
  if (error !== undefined) {
    expect(answer).toEqual({ kind: 'refused', ...error });
    return;
  }
  if (answer.kind !== 'done') throw new Error(showAnswer(answer));
  if (result !== undefined)
    expect(isSameJson(parseLossless(answer.result), result), answer.result).toBe(true);
  if (affected !== undefined) expect([...answer.affected]).toEqual([...affected]);
}
