/** Generated statements on svc and on PostgreSQL 15. `npm run fuzz-sql` runs any number of them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { portionOf } from '../../support/portion.ts';
import { hasPostgres, type PostgresServer, startPostgres, startupMs } from './postgres-server.ts';
import { reportOf } from './report.ts';
import { Tally } from './scenario.ts';
import { search } from './search.ts';
import { postgresSide, type Side, svcSide } from './sides.ts';

describe.skipIf(!hasPostgres())('generated SQL', () => {
  let server: PostgresServer;
  let svc: Side & AsyncDisposable;
  let postgres: Side;

  beforeAll(async () => {
    server = await startPostgres();
    svc = await svcSide();
    postgres = await postgresSide(await server.connect(), 'compared');
  }, startupMs);

  afterAll(async () => {
    await svc[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test.each([1, 2, 3, 4])('has the same outcome on both sides, seed %i', async (seed) => {
    const tally = new Tally();
    const difference = await search(seed, portionOf(132), svc, postgres, tally);
    expect(difference === undefined ? '' : reportOf(difference)).toBe('');
    // A refused statement is not compared, so that refusals must stay rare.
    expect(tally.compared / tally.statements).toBeGreaterThan(0.8);
  });
});
