/** The corpus of the clients, by the TypeScript builder: byte-equal texts, and results of a server in memory that the oracle confirms. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isReading } from './is-reading.ts';
import { made } from './make/index.ts';
import { pages } from './make/pages.ts';
import {
  type Case,
  corpus,
  openStage,
  oracleDatabase,
  oracleOutcome,
  outcomeOf,
  pageAt,
  type Stage,
} from './stage.ts';

const folder = join(corpus, 'cases');
const files = readdirSync(folder).map((name) => ({
  name: name.replace('.json', ''),
  cases: JSON.parse(readFileSync(join(folder, name), 'utf8')) as readonly Case[],
}));
const oracle = oracleDatabase();
const confirmed = { oracle: 0 };

let shared: Stage;
beforeAll(async () => {
  shared = await openStage();
});
afterAll(() => shared[Symbol.asyncDispose]());

for (const { name, cases } of files) {
  describe(name, () => {
    for (const one of cases) test(one.name, () => check(one));
  });
}

async function check({ name: _, build, text, result, problem }: Case): Promise<void> {
  const stage = isReading(build) ? shared : await openStage();
  const found = await outcomeOf(build, stage.db);
  if (stage !== shared) await stage[Symbol.asyncDispose]();
  expect(found.text).toBe(text);
  // JSON has no undefined, and no -0: what is compared is what is written.
  expect(JSON.parse(JSON.stringify(found))).toEqual({
    ...(text !== undefined && { text }),
    ...(problem === undefined ? { result } : { problem }),
  });
  if (text === undefined) return;
  const told = oracleOutcome(build, oracle);
  if (told.result === undefined && told.problem === undefined) return;
  confirmed.oracle++;
  expect(told.problem?.reason).toBe(problem?.reason as string);
  expect(told.result).toEqual(result);
}

test('the files are those that write.ts makes, and have a name for each case', async () => {
  const here = Object.fromEntries(
    files.map(({ name, cases }) => [name, cases.map((one) => [one.name, one.build])]),
  );
  expect(here).toEqual(
    JSON.parse(JSON.stringify({ ...made, pages: await pages(pageAt, shared.db) })),
  );
  for (const { cases } of files) {
    expect(new Set(cases.map((one) => one.name)).size).toBe(cases.length);
  }
});

test('the oracle confirms nearly all of them', () => {
  const all = files.flatMap(({ cases }) => cases).filter(({ text }) => text !== undefined).length;
  expect(confirmed.oracle).toBeGreaterThan(0.95 * all);
});
