/** Durable transfers between two of 10,000 accounts by `bun:sqlite` behind a bare handler, with group commit: one transaction per turn of the event loop. */

import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { accountCount, openingBalance } from '../workload.ts';

const database = new Database(join(process.argv[2] as string, 'reference.sqlite'));
database.run('pragma journal_mode = wal');
database.run('pragma synchronous = full');
database.run('create table account (id integer primary key, balance integer not null)');
const insert = database.prepare('insert into account values (?, ?)');
database.transaction(() => {
  for (let id = 0; id < accountCount; id++) insert.run(id, openingBalance);
})();
const balance = database.prepare<{ balance: number }, [number]>(
  'select balance from account where id = ?',
);
const update = database.prepare('update account set balance = ? where id = ?');

/** One of two updates of a program, as `transferProgram` makes it. */
interface Update {
  readonly relation: {
    readonly nodes: {
      readonly f: { readonly predicate: { readonly right: Literal } };
      readonly p: { readonly fields: readonly [unknown, { expr: { right: Literal } }] };
    };
  };
}

interface Literal {
  readonly value: { readonly value: string };
}

interface Pending {
  readonly updates: readonly Update[];
  readonly resolve: (response: Response) => void;
}

let group: Pending[] = [];

function commitGroup(): void {
  const committing = group;
  group = [];
  database.transaction(() => {
    for (const { updates } of committing) updates.forEach(add);
  })();
  for (const { resolve } of committing) resolve(Response.json({ affected: 1 }));
}

function add({ relation: { nodes } }: Update): void {
  const id = Number(nodes.f.predicate.right.value.value);
  const amount = Number(nodes.p.fields[1].expr.right.value.value);
  const row = balance.get(id);
  if (row === null) throw new Error(`no account ${id}`);
  update.run(row.balance + amount, id);
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const { statements } = (await request.json()) as { statements: readonly Update[] };
    return new Promise<Response>((resolve) => {
      if (group.length === 0) setImmediate(commitGroup);
      group.push({ updates: statements, resolve });
    });
  },
});
console.log(`listening on 127.0.0.1:${server.port}`);
