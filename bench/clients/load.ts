/**
 * Runs on the runtime that is measured, beside the generated client (`./db/db.gen.ts` once it is bundled): each question through the client, and by hand with
 * `fetch` and JSON, in rounds that alternate. Prints one line of JSON. Arguments: the server's address, the file of programs, milliseconds of a round, rounds.
 */

import { readFileSync } from 'node:fs';
import { compile, connect, t } from '../../tests/codegen/specimen/db.ts';
import { adHocPoint, feed, list } from './questions.ts';

const [url = '', file = '', roundMs = '', rounds = '', warmingMs = ''] = process.argv.slice(2);
const connections = 8;
const keys = 1000;
const programs = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, object>>;

const db = connect({ url, schema: 'off' });

async function byHand(program: object): Promise<unknown> {
  const response = await fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(program),
    // As any request that must not hang for ever.
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { result: unknown }).result;
}

const preparedPoint = db.prepare('point', { id: t.posts.params.id }, ({ id }) =>
  t.posts.get({ id }),
);
const preparedFeed = db.prepare('feed', {}, feed);
const col = (column: string) => ({ kind: 'col', scope: 's0', column });
const columns = ['id', 'author_id', 'title', 'body', 'score', 'rating', 'created_at'];

function pointByHand(key: number): Promise<unknown> {
  const value = { kind: 'lit', value: { type: 'int64', value: String(key) } };
  const nodes = {
    n0: { kind: 'scan', table: 'posts', scope: 's0' },
    n1: {
      kind: 'filter',
      input: 'n0',
      predicate: { kind: 'binary', op: 'eq', left: col('id'), right: value },
    },
    n2: { kind: 'project', input: 'n1', fields: columns.map((as) => ({ as, expr: col(as) })) },
  };
  const relation = { root: { node: 'n2', cardinality: 'first' }, nodes };
  return byHand({ statements: [{ kind: 'query', name: 'p0', relation }] });
}

interface Question {
  readonly rows: number;
  client(key: number): Promise<unknown>;
  byHand(key: number): Promise<unknown>;
}

const questions: Readonly<Record<string, Question>> = {
  'by key, prepared': { rows: 1, client: (id) => preparedPoint({ id }), byHand: pointByHand },
  'by key, ad hoc': { rows: 1, client: (id) => db.run(adHocPoint(id)), byHand: pointByHand },
  'feed, prepared': {
    rows: 20,
    client: () => preparedFeed({}),
    byHand: () => byHand(programs['feed'] as object),
  },
  'feed, ad hoc': {
    rows: 20,
    client: () => db.run(feed()),
    byHand: () => byHand(programs['feed'] as object),
  },
  '500 rows': {
    rows: 500,
    client: () => db.run(list()),
    byHand: () => byHand(programs['list'] as object),
  },
};

interface Round {
  readonly perSecond: number;
  /** Processor time of this process for one request, in microseconds. */
  readonly cpuMicros: number;
}

async function round(
  ask: (key: number) => Promise<unknown>,
  rows: number,
  length: number,
): Promise<Round> {
  let done = 0;
  const began = performance.now();
  const before = process.cpuUsage();
  const ending = began + length;
  const connection = async (first: number) => {
    for (let key = first; performance.now() < ending; key = (key + 13) % keys) {
      const found = await ask(key + 1);
      const count = Array.isArray(found) ? found.length : Number(found !== null);
      if (count !== rows) throw new Error(`${count} rows instead of ${rows}`);
      done++;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => connection(i * 100)));
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (done * 1000) / (performance.now() - began),
    cpuMicros: (user + system) / done,
  };
}

const measured: Record<string, { client: Round[]; byHand: Round[] }> = {};
for (const [name, question] of Object.entries(questions)) {
  const found = { client: [] as Round[], byHand: [] as Round[] };
  for (let i = 0; i <= Number(rounds); i++) {
    const order = i % 2 === 0 ? (['client', 'byHand'] as const) : (['byHand', 'client'] as const);
    for (const side of order) {
      // The first round compiles, and what is compiled only after a while counts too.
      const length = Number(roundMs) + (i === 0 ? Number(warmingMs) : 0);
      const result = await round(question[side], question.rows, length);
      if (i > 0) found[side].push(result);
    }
  }
  measured[name] = found;
}

/** Microseconds of building an operation and making it text: the least of many rounds, since all else only adds. */
function buildMicros(make: (key: number) => Parameters<typeof compile>[0], times: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 60; i++) {
    const began = performance.now();
    for (let k = 0; k < times; k++) compile(make(k)).body.charCodeAt(0);
    least = Math.min(least, ((performance.now() - began) * 1000) / times);
  }
  return least;
}

const build = { 'by key': buildMicros(adHocPoint, 2000), feed: buildMicros(feed, 400) };
console.log(JSON.stringify({ measured, build }));
process.exit(0);
