/** svc over HTTP: rows arrive in programs of 2,000, and two clients send them. */

import type { ShopTable } from '../tables.ts';
import { type Engine, indexName, Problem } from './engine.ts';

const rowsPerProgram = 2_000;
const clients = 2;

/** Reasons that a busy machine can cause. */
const passing = ['deadline_exceeded', 'overloaded'];
const attemptsMax = 10;

export interface SvcEngine extends Engine {
  readonly name: 'svc';
  /** Starts an online build and waits until the index is ready. */
  addIndexOnline(table: ShopTable, columns: readonly string[]): Promise<void>;
}

export function svc(port: number): SvcEngine {
  const send = (method: string, path: string, body?: string) => request(port, method, path, body);
  const execute = (body: string) => send('POST', '/execute', body);
  return {
    name: 'svc',
    load: async (table, indexes = []) => {
      const { name, columns, count } = table;
      const primary_key = [columns[0]?.name];
      const definitions = indexes.map((of) => indexOf(table, of));
      await send(
        'POST',
        '/tables',
        JSON.stringify({ name, columns, primary_key, indexes: definitions }),
      );
      let at = 0;
      const client = async () => {
        while (at < count) {
          const from = at;
          at += rowsPerProgram;
          await insisting(() => execute(createRows(table, from, Math.min(count, at))));
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
    addIndex: async (table, columns) => {
      const body = JSON.stringify(indexOf(table, columns));
      await send('POST', `/tables/${table.name}/indexes`, body);
    },
    addIndexOnline: async (table, columns) => {
      const id = idOf(await send('GET', '/tables'), table.name);
      await build(port, { table_id: id, index: indexOf(table, columns) });
    },
    dropIndex: async ({ name }, columns) => {
      await send('DELETE', `/tables/${name}/indexes/${indexName(name, columns)}`);
    },
    ask: (question, turn) => execute(question.program(turn)),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Sends a program again that the server has refused, because no part of a refused program took effect. */
async function insisting(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      const isPassing = error instanceof Problem && passing.includes(error.reason);
      if (!isPassing || attempt === attemptsMax) throw error;
    }
  }
}

async function request(port: number, method: string, path: string, body?: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    // Bun gives up after 300 s otherwise.
    timeout: false,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body }),
  });
  const text = await response.text();
  if (response.ok) return text;
  const reason = /"reason":\s*"(\w+)"/.exec(text)?.[1] ?? `status ${response.status}`;
  throw new Problem(reason, text.slice(0, 2_000));
}

function indexOf({ name }: ShopTable, columns: readonly string[]) {
  return { name: indexName(name, columns), columns, unique: false };
}

function idOf(tables: string, name: string): number {
  const list = JSON.parse(tables) as { tables: { id: number; name: string }[] };
  const found = list.tables.find((table) => table.name === name);
  if (found === undefined) throw new Error(`table ${name} does not exist`);
  return found.id;
}

async function build(port: number, of: object): Promise<void> {
  const statement = { kind: 'start_index_build', name: 's', ...of };
  const started = await request(
    port,
    'POST',
    '/execute',
    JSON.stringify({ statements: [statement] }),
  );
  const { statements } = JSON.parse(started) as {
    statements: [{ control: { transition_id: string; generation: number } }];
  };
  const { transition_id, generation } = statements[0].control;
  for (let known = generation; ; ) {
    const path = `/schema/transitions/${transition_id}?wait=30s&generation=${known}`;
    const text = await request(port, 'GET', path);
    const control = JSON.parse(text) as { state: string; generation: number };
    if (control.state === 'ready') return;
    if (control.state !== 'failed') known = control.generation;
    else throw new Problem(/"reason":\s*"(\w+)"/.exec(text)?.[1] ?? 'failed', text);
  }
}

/** The text is joined by hand, because the client shares the machine with the server. */
function createRows({ name, columns, row }: ShopTable, from: number, to: number): string {
  const isText = columns.map(({ type }) => type === 'text');
  const rows: string[] = [];
  for (let id = from; id < to; id++) {
    const cells = row(id).map((cell, i) => (isText[i] ? JSON.stringify(cell) : `"${cell}"`));
    rows.push(`[${cells.join(',')}]`);
  }
  const node = `{"kind":"rows","scope":"r","columns":${JSON.stringify(columns)},"rows":[${rows.join(',')}]}`;
  const relation = `{"nodes":{"r":${node}},"root":{"node":"r","cardinality":"many"}}`;
  return `{"statements":[{"kind":"create","name":"c","table":"${name}","relation":${relation}},${doneStatement}],"result":"d"}`;
}

/** Without it the response to a load would contain the loaded rows. */
const doneStatement = JSON.stringify({
  kind: 'query',
  name: 'd',
  relation: {
    nodes: {
      r: {
        kind: 'rows',
        scope: 'r',
        columns: [{ name: 'done', type: 'int64' }],
        rows: [['1']],
      },
    },
    root: { node: 'r', cardinality: 'exactly_one' },
  },
});
