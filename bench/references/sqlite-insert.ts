/** Durable one-row inserts by `bun:sqlite` behind a bare handler, with group commit: one transaction per turn of the event loop. */

import { Database } from 'bun:sqlite';
import { join } from 'node:path';

const database = new Database(join(process.argv[2] as string, 'reference.sqlite'));
database.run('pragma journal_mode = wal');
database.run('pragma synchronous = full');
database.run(
  'create table item (id integer primary key, name text not null, price real, stock integer, note text)',
);
const insert = database.prepare('insert into item values (?, ?, ?, ?, ?)');

interface Pending {
  readonly row: readonly (string | number)[];
  readonly resolve: (response: Response) => void;
}

let group: Pending[] = [];

function commitGroup(): void {
  const committing = group;
  group = [];
  database.transaction(() => {
    for (const { row } of committing) insert.run(...row);
  })();
  for (const { resolve } of committing) resolve(Response.json({ affected: 1 }));
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const body = (await request.json()) as {
      statements: readonly {
        relation: { nodes: { r: { rows: readonly (readonly string[])[] } } };
      }[];
    };
    const cells = body.statements[0]?.relation.nodes.r.rows[0] as readonly string[];
    const [id, name, price, stock, note] = cells as [string, string, string, string, string];
    const row = [Number(id), name, Number(price), Number(stock), note];
    return new Promise<Response>((resolve) => {
      if (group.length === 0) setImmediate(commitGroup);
      group.push({ row, resolve });
    });
  },
});
console.log(`listening on 127.0.0.1:${server.port}`);
