/** The comparison itself: two PostgreSQL agree, and each planted deviation of one of them is found. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Outcome } from './outcome.ts';
import { hasPostgres, type PostgresServer, startPostgres, startupMs } from './postgres-server.ts';
import { Tally } from './scenario.ts';
import { search } from './search.ts';
import { postgresSide, type Side } from './sides.ts';

type Done = Extract<Outcome, { kind: 'done' }>;

/** Wrong outcomes, by what the comparison finds. */
const plants: Readonly<Record<string, (outcome: Done) => Outcome>> = {
  rows: (outcome) => ({ ...outcome, rows: outcome.rows.slice(1) }),
  'rows in order': (outcome) => ({ ...outcome, rows: outcome.rows.toReversed() }),
  'names of columns': (outcome) => ({
    ...outcome,
    columns: outcome.columns.map((column) => ({ ...column, name: column.name.replace('?', '') })),
  }),
  'types of columns': (outcome) => ({
    ...outcome,
    columns: outcome.columns.map((column) => ({
      ...column,
      oid: column.oid === 21 ? 23 : column.oid,
    })),
  }),
  tags: (outcome) => ({ ...outcome, tag: outcome.tag.replace('UPDATE 0', 'UPDATE 1') }),
};

describe.skipIf(!hasPostgres())('comparison with PostgreSQL', () => {
  let server: PostgresServer;
  let left: Side;
  let right: Side;

  beforeAll(async () => {
    server = await startPostgres();
    left = await postgresSide(await server.connect(), 'left_side');
    right = await postgresSide(await server.connect(), 'right_side');
  }, startupMs);

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  test('finds no difference between equal databases', async () => {
    const tally = new Tally();
    expect(await search(7, 120, left, right, tally)).toBeUndefined();
    expect(tally.compared).toBe(tally.statements);
    // A generator whose statements mostly fail proves little.
    expect(tally.failedAlike).toBeLessThan(tally.statements / 3);
  });

  for (const [kind, twist] of Object.entries(plants)) {
    test(`finds wrong ${kind}`, async () => {
      const wrong: Side = {
        reset: (inserts) => left.reset(inserts),
        run: async (text, parameters) => {
          const outcome = await left.run(text, parameters);
          return outcome.kind === 'done' ? twist(outcome) : outcome;
        },
      };
      expect((await search(7, 600, wrong, right, new Tally()))?.text).toContain(kind);
    });
  }

  test('finds an error of another class', async () => {
    const wrong: Side = {
      reset: (inserts) => left.reset(inserts),
      run: async (text, parameters) => {
        const outcome = await left.run(text, parameters);
        const isUnique = outcome.kind === 'failed' && outcome.sqlstate === '23505';
        return isUnique ? { ...outcome, sqlstate: '22023' } : outcome;
      },
    };
    expect((await search(7, 600, wrong, right, new Tally()))?.text).toContain('svc 22023');
  });

  test('counts a refusal and compares nothing', async () => {
    const refusing: Side = {
      reset: (inserts) => left.reset(inserts),
      run: (text, parameters) =>
        text.includes(' union ')
          ? Promise.resolve({ kind: 'failed', sqlstate: '0A000', message: 'UNION "x" is missing' })
          : left.run(text, parameters),
    };
    const tally = new Tally();
    expect(await search(7, 120, refusing, right, tally)).toBeUndefined();
    expect(tally.toText()).toContain('UNION "…" is missing');
  });
});
