/** 100 posts with author and comments by `bun:sqlite` behind a bare handler: the body is the turn. */

import { sqlite } from '../workloads/engines/sqlite.ts';
import { nestedPosts } from '../workloads/questions.ts';
import { countsOf, tablesOf } from '../workloads/tables.ts';

const shop = countsOf(1_000_000);
const engine = sqlite(':memory:');
for (const table of tablesOf(shop)) {
  await engine.load(table);
  for (const columns of table.indexes) await engine.addIndex(table, columns);
}
const question = nestedPosts(shop);

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => Response.json(engine.ask(question, Number(await request.text()))),
});
console.log(`listening on 127.0.0.1:${server.port}`);
