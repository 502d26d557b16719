/**
 * `bun run bench/nested-rows.ts [--seconds S]`: 100 posts with an author and 10 comments each, without HTTP, of rows that lie in blocks in the cache. A program
 * that was planned before runs again with another key, and its result is written as JSON. SQLite answers the same questions in the same process, in rounds that
 * alternate, and its rows are written as JSON too. Prints milliseconds of the main thread for one request, the part of them that writes the text, and the ratio
 * of both engines in one round.
 */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { systemWorld } from '#base';
import { type Engine, openEngine, type PreparedProgram } from '#engine';
import type { Program } from '#pir';
import { encodeResult } from '#value';
import { checkProgram } from '#wire';
import { sqlite } from './workloads/engines/sqlite.ts';
import { nestedPosts } from './workloads/questions.ts';
import { countsOf, type ShopTable, tablesOf } from './workloads/tables.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '6' } } });
/** Short ones, so that what else the machine does slows both engines alike. */
const roundMs = 100;
const rowsPerProgram = 2_000;
const options = { showPlan: false, dryRun: false };

const shop = countsOf(1_000_000);
const tables = tablesOf(shop).filter(({ name }) => ['users', 'posts', 'comments'].includes(name));
const engine = await filled(tables);
const question = nestedPosts(shop);
await using reference = await filledReference();
let prepared = await plan();
let textMs = 0;
let turn = 0;
const rounds = Math.ceil((Number(values.seconds) * 1_000) / roundMs);
const found: { readonly own: number; readonly text: number; readonly sqlite: number }[] = [];
for (let round = 0; round < rounds; round++) {
  textMs = 0;
  const own = await measured(ask);
  const text = (textMs / own.wallMs) * own.threadMs;
  const sqlite = await measured(async () => JSON.stringify(await reference.ask(question, turn++)));
  const count = own.count;
  found.push({
    own: own.threadMs / count,
    text: text / count,
    sqlite: sqlite.threadMs / sqlite.count,
  });
}
found.sort((a, b) => a.own / a.sqlite - b.own / b.sqlite);
for (const [name, at] of [
  ['least', 0],
  ['median', rounds >> 1],
] as const) {
  const { own, text, sqlite } = found[at] as (typeof found)[number];
  console.log(
    `${name}: ${own.toFixed(2)} ms, ${text.toFixed(3)} of it the text, SQLite ${sqlite.toFixed(2)} ms, ratio ${(own / sqlite).toFixed(2)}`,
  );
}
await engine.close();

async function measured(once: () => unknown) {
  const started = performance.now();
  const before = threadMs();
  let count = 0;
  for (; performance.now() - started < roundMs / 2; count++) await once();
  return { threadMs: threadMs() - before, wallMs: performance.now() - started, count };
}

/** Processor time of the main thread: other processes take the wall clock. */
function threadMs(): number {
  const path = `/proc/self/task/${process.pid}/schedstat`;
  return Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6;
}

async function filledReference() {
  const made = sqlite(':memory:');
  for (const table of tables) {
    await made.load(table);
    for (const columns of table.indexes) await made.addIndex(table, columns);
  }
  return made;
}

async function ask(): Promise<void> {
  const first = (turn++ * 131) % (shop.posts - 99);
  const requestContext = engine.requestContext({});
  // Limits are parameters too: of the posts, then of the comments.
  const known = { program: prepared, parameters: [100, first, 10] };
  const response = await engine.execute({ program, known }, requestContext);
  prepared = response.prepared;
  const { result } = response;
  if (result?.rows.length !== 100) throw new Error(`${result?.rows.length} posts were read`);
  const started = performance.now();
  const text = encodeResult(result.columns, result.rows, result.cardinality);
  textMs += performance.now() - started;
  if (text.length < 10_000) throw new Error('the text is too short');
  requestContext.close();
}

async function filled(tables: readonly ShopTable[]): Promise<Engine> {
  const made = await openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world: systemWorld(),
    // Every commit becomes a table, and all of them one: nothing is left in memtables.
    tuning: { memtableBytes: 1 },
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'bench',
  });
  const execute = async (statement: object) => {
    await made.execute({ program: () => checkProgram({ statements: [statement] }), ...options });
  };
  let id = 0;
  for (const { name, columns, indexes, count, row } of tables) {
    id++;
    const primary_key = [columns[0]?.name];
    await execute({ kind: 'create_table', name: 't', table: { name, columns, primary_key } });
    for (let from = 0; from < count; from += rowsPerProgram) {
      const length = Math.min(rowsPerProgram, count - from);
      const rows = Array.from({ length }, (_, i) => row(from + i).map(String));
      const node = { kind: 'rows', scope: 'r', columns, rows };
      const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
      await execute({ kind: 'create', name: 'c', table: name, relation });
    }
    for (const of of indexes) {
      const index = { name: `by_${of.join('_')}`, columns: of, unique: false };
      await execute({ kind: 'create_index', name: 'i', table_id: id, index });
    }
  }
  await Bun.sleep(3_000);
  return made;
}

function program(): Program {
  return checkProgram(JSON.parse(question.program(0)));
}

async function plan(): Promise<PreparedProgram> {
  const { prepared } = await engine.execute({ program });
  return prepared;
}
