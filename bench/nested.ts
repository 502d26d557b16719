/**
 * 100 posts with author and ten comments each over HTTP, a million orders beside them, without the cache of answers: the executable that `npm run build` has
 * made against `bun:sqlite` behind a bare handler.
 */

import { prepare } from './connection.ts';
import { type Measurement, pair, throughput } from './measure.ts';
import { startBuilt, startReference } from './server-process.ts';
import { svc as connect } from './workloads/engines/svc.ts';
import { nestedPosts } from './workloads/questions.ts';
import { countsOf, tablesOf } from './workloads/tables.ts';

export async function benchNested(isQuick: boolean): Promise<readonly Measurement[]> {
  const shop = countsOf(1_000_000);
  const question = nestedPosts(shop);
  await using svc = await startBuilt();
  const engine = connect(svc.port);
  for (const table of tablesOf(shop)) {
    await engine.load(table);
    for (const columns of table.indexes) await engine.addIndex(table, columns);
  }
  await using sqlite = await startReference('sqlite-nested');
  let turn = 0;
  const asked = () => prepare(svc.port, 'POST', '/execute', question.program(turn++));
  const askedOfSqlite = () => prepare(sqlite.port, 'POST', '/', String(turn++));
  const results: Measurement[] = [];
  for (const connections of [1, 16]) {
    const side = (port: number, next: () => Uint8Array) => () =>
      throughput(port, connections, isQuick ? 500 : 1500, next);
    const sides = {
      subject: side(svc.port, asked),
      reference: side(sqlite.port, askedOfSqlite),
    };
    for (let warmUp = 0; warmUp < 3; warmUp++) {
      await sides.subject();
      await sides.reference();
    }
    const name = `100 posts, author, 10 comments each, ${connections} connections, against bun:sqlite`;
    results.push(await pair(name, connections === 1 ? 0.77 : 1, isQuick ? 7 : 15, sides));
  }
  return results;
}
