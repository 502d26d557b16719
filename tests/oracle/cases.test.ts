/** The oracle itself must answer every acceptance case; grammar errors are not its business. */

import { describe, expect, test } from 'bun:test';
import type { Program } from '#pir';
import { type Case, loadCases } from '../support/case.ts';
import { parseLossless } from '../support/lossless.ts';
import { isSameJson } from '../support/same-json.ts';
import { schemaChanges } from '../support/schema-file.ts';
import { seedPrograms } from '../support/seed.ts';
import { applyChange, emptyDatabase, runProgram } from './index.ts';

const cases = loadCases().filter((found) => found.error?.reason !== 'schema_violation');

describe('the oracle', () => {
  for (const found of cases) test(found.name, () => runCase(found));
});

function runCase(found: Case): void {
  const database = emptyDatabase(found.mode ?? 'schema');
  for (const change of schemaChanges(found.schema)) applyChange(database, change, true);
  for (const program of seedPrograms(found.schema, found.seed)) {
    expect(runProgram(database, program as Program)).toMatchObject({ kind: 'done' });
  }
  const outcome = runProgram(database, found.program as Program);
  if (found.error !== undefined) {
    if (outcome.kind !== 'refused') throw new Error(JSON.stringify(outcome));
    const errors = outcome.errors.map(({ code, reason }) => ({ code, reason }));
    expect(errors).toContainEqual(found.error);
  } else if (outcome.kind !== 'done') {
    throw new Error(JSON.stringify(outcome));
  } else {
    if ('result' in found)
      expect(isSameJson(parseLossless(outcome.result), found.result), outcome.result).toBe(true);
    if (found.affected) expect([...outcome.affected]).toEqual([...found.affected]);
  }
  for (const assertion of found.assertions ?? []) {
    const statement = { kind: 'query', name: 'q', relation: assertion.query };
    const seen = runProgram(database, { statements: [statement] } as Program);
    if (seen.kind !== 'done') throw new Error(JSON.stringify(seen));
    expect(isSameJson(parseLossless(seen.result), assertion.expect), seen.result).toBe(true);
  }
}
