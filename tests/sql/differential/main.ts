/** `npm run fuzz-sql -- --seed S --statements N`: generated statements on svc and on a PostgreSQL 15 of the command's own. Exit code 1: they differ. */

import { parseArgs } from 'node:util';
import { hasPostgres, startPostgres } from './postgres-server.ts';
import { reportOf } from './report.ts';
import { Tally } from './scenario.ts';
import { search } from './search.ts';
import { postgresSide, svcSide } from './sides.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    statements: { type: 'string', default: '2000' },
  },
});

process.exit(hasPostgres() ? await main(Number(values.seed), Number(values.statements)) : 2);

async function main(seed: number, statements: number): Promise<number> {
  await using server = await startPostgres();
  await using svc = await svcSide();
  const postgres = await postgresSide(await server.connect(), 'compared');
  const tally = new Tally();
  const difference = await search(seed, statements, svc, postgres, tally);
  console.log(tally.toText());
  if (difference === undefined) return 0;
  console.log(`\n${reportOf(difference)}\n\nseed ${seed}`);
  return 1;
}
