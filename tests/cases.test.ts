/** Every acceptance case over HTTP: program, error, affected rows, and the state that it leaves. */

import { describe, expect, test } from 'bun:test';
import { type Case, loadCases } from './support/case.ts';
import { openTestDatabase, type TestDatabase } from './support/database.ts';
import { isSameJson } from './support/same-json.ts';
import { seedPrograms } from './support/seed.ts';

const cases = loadCases();

test('all cases are there', () => {
  expect(cases.length).toBeGreaterThanOrEqual(380);
});

for (const theme of new Set(cases.map((found) => found.theme))) {
  describe(theme, () => {
    for (const found of cases.filter((candidate) => candidate.theme === theme)) {
      test(found.name, () => runCase(found));
    }
  });
}

async function runCase(found: Case): Promise<void> {
  await using database = await openTestDatabase(found.mode ?? 'schema', found.schema);
  for (const program of seedPrograms(found.schema, found.seed)) {
    const seeded = await database.send('POST', '/execute', program);
    expect(seeded.status, seeded.text).toBe(200);
  }
  await runProgram(database, found);
  for (const assertion of found.assertions ?? []) {
    const reply = await database.send('QUERY', '/execute', assertion.query);
    expect(reply.status, reply.text).toBe(200);
    expectSame(reply.json, assertion.expect, assertion.name);
  }
}

async function runProgram(database: TestDatabase, found: Case): Promise<void> {
  const reply = await database.send('POST', '/execute', found.program);
  const body = reply.json as Record<string, unknown>;
  if (found.error !== undefined) {
    const given = { code: body['code'], reason: body['reason'] };
    expect(given, reply.text).toEqual(found.error);
    return;
  }
  expect(reply.status, reply.text).toBe(200);
  if ('result' in found) expectSame(body['result'], found.result, 'result');
  if (found.affected === undefined) return;
  const statements = body['statements'] as readonly { readonly affected: number }[];
  expect(statements.map((statement) => statement.affected)).toEqual([...found.affected]);
}

function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (isSameJson(actual, expected)) return;
  const show = (value: unknown) => JSON.stringify(value, bigintText);
  throw new Error(`${what}: got ${show(actual)}, expected ${show(expected)}`);
}

function bigintText(_key: string, value: unknown): unknown {
  if (Object.is(value, -0)) return '-0.0';
  return typeof value === 'bigint' ? `${value}n` : value;
}
