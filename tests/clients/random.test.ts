/** Seeded random queries of the builder: a server in memory has the oracle's answer. */

import { expect, test } from 'bun:test';
import { seededRandom } from '../support/seeded-random.ts';
import { RandomTrees } from './random-trees.ts';
import { openStage, oracleDatabase, oracleOutcome, outcomeOf } from './stage.ts';

const queries = 2_000;

test('queries built at random have the answers of the oracle', async () => {
  await using stage = await openStage();
  const oracle = oracleDatabase();
  const trees = new RandomTrees(seededRandom(7));
  const seen = { rows: 0, answers: 0, problems: 0, open: 0 };
  for (let i = 0; i < queries; i++) {
    const build = trees.query();
    const found = await outcomeOf(build, stage.db);
    const about = JSON.stringify(build);
    if (found.text === undefined) throw new Error(`not built: ${about}`);
    const told = oracleOutcome(build, oracle);
    if (told.result === undefined && told.problem === undefined) {
      seen.open++;
      continue;
    }
    expect({ about, result: found.result, fails: found.problem !== undefined }).toEqual({
      about,
      result: told.result,
      fails: told.problem !== undefined,
    });
    if (found.problem !== undefined) seen.problems++;
    else seen.answers++;
    if (Array.isArray(found.result) && found.result.length > 0) seen.rows++;
  }
  expect(seen.answers).toBeGreaterThan(0.9 * queries);
  expect(seen.rows).toBeGreaterThan(0.5 * queries);
  expect(seen.open).toBeLessThan(0.05 * queries);
}, 60_000);
