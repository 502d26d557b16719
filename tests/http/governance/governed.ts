/** A real listener over an engine in memory with small limits, and programs that take as long as one likes. */

import { systemWorld } from '#base';
import { type Engine, type EngineOptions, openEngine } from '#engine';
import { createHandler } from '#http';
import type { Statistics } from '#statistics';

export interface Governed extends AsyncDisposable {
  readonly engine: Engine;
  readonly url: string;
  /** Status of each answer, as the log would be told. */
  readonly statuses: number[];
  /** What was told to be garbage, in bytes. */
  readonly releasedBytes: number[];
  post(body: unknown, options?: PostOptions): Promise<Posted>;
}

export interface PostOptions {
  /** Absent: `/execute`. */
  readonly path?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a problem. */
  readonly reason: string | undefined;
}

/** Nothing is surveyed: the account holds what programs hold, and nothing else. */
const nothingKnown: Statistics = {
  rowsOf: () => 0,
  rowsWithin: () => 0,
  surveyed: () => undefined,
  surveyOf: () => 0,
};

const rows = 3000;
const table = {
  name: 't',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'text', type: 'text' },
  ],
  primary_key: ['id'],
};

export async function openGoverned(
  options: Partial<EngineOptions> = {},
  resultBytesMax = 1 << 26,
): Promise<Governed> {
  const world = systemWorld();
  const engine = await openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world,
    tuning: { cacheBytes: 16 << 20 },
    programMemoryBytes: 64 << 20,
    statementTimeoutMs: 0,
    concurrency: 8,
    queueMax: 64,
    holderAddress: 'test',
    statistics: nothingKnown,
    ...options,
  });
  const statuses: number[] = [];
  const releasedBytes: number[] = [];
  const { handle } = createHandler({
    lifecycle: {
      access: 'write',
      engine,
      live: () => 'live',
      ready: () => 'serving',
      startup: () => 'started',
    },
    limits: limitsOf(resultBytesMax),
    random: world.random,
    clock: world.clock,
    scheduler: world.scheduler,
    loopbackOnly: true,
    onInternalError: () => {},
    onCompleted: (_request, { status }) => statuses.push(status),
    release: (bytes) => releasedBytes.push(bytes),
  });
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: handle });
  const url = `http://127.0.0.1:${server.port}`;
  const send = async (path: string, body: unknown, { signal, headers }: PostOptions = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    const isProblem = response.status >= 400 && text !== '';
    const reason = isProblem ? (JSON.parse(text) as { reason: string }).reason : undefined;
    return { status: response.status, headers: response.headers, text, reason };
  };
  await send('/tables', table);
  const filled = await send('/execute', create(0, rows));
  if (filled.status !== 200) throw new Error(filled.text);
  return {
    engine,
    url,
    statuses,
    releasedBytes,
    post: (body, more) => send(more?.path ?? '/execute', body, more),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await engine.close();
    },
  };
}

function limitsOf(resultBytesMax: number) {
  return {
    bodyBytesMax: 4 << 20,
    arrivingBytesMax: 1 << 27,
    depthMax: 1024,
    unsentBytesMax: 1 << 28,
    resultBytesMax,
  };
}

/** Resolves when the condition holds; turns of the event loop pass meanwhile. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  const endMs = performance.now() + 5000;
  while (!isTrue()) {
    if (performance.now() > endMs) throw new Error(`never: ${isTrue}`);
    await Bun.sleep(2);
  }
}

const column = (scope: string, name: string) => ({ kind: 'col', scope, column: name });
const literal = (value: string) => ({ kind: 'lit', value: { type: 'int64', value } });
const scan = (scope: string) => ({ kind: 'scan', table: 't', scope });

function query(nodes: Record<string, unknown>, node: string, cardinality: string) {
  const relation = { nodes, root: { node, cardinality } };
  return { statements: [{ kind: 'query', name: 'q', relation }] };
}

export function create(from: number, count: number) {
  const values = Array.from({ length: count }, (_, i) => [`${from + i}`, `text ${from + i}`]);
  const node = { kind: 'rows', scope: 'r', columns: table.columns, rows: values };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { statements: [{ kind: 'create', name: 'c', table: 't', relation }] };
}

/** Counts the pairs of a join by an inequality, three tables deep: minutes of work, hardly any memory. */
export const endless = query(
  {
    a: scan('a'),
    b: scan('b'),
    c: scan('c'),
    ab: { kind: 'join', left: 'a', right: 'b', join: 'inner', on: never('a', 'b') },
    abc: { kind: 'join', left: 'ab', right: 'c', join: 'inner', on: never('b', 'c') },
    g: { kind: 'aggregate', input: 'abc', scope: 'g', aggs: [{ fn: 'count', as: 'n' }] },
  },
  'g',
  'scalar',
);

function never(left: string, right: string) {
  const sum = { kind: 'binary', op: 'add', left: column(left, 'id'), right: column(right, 'id') };
  return { kind: 'binary', op: 'gte', left: sum, right: literal('0') };
}

export const point = query(
  {
    a: scan('a'),
    f: {
      kind: 'filter',
      input: 'a',
      predicate: { kind: 'binary', op: 'eq', left: column('a', 'id'), right: literal('5') },
    },
  },
  'f',
  'first',
);

/** All pairs of rows, sorted: more memory than any limit here. */
export const pairs = query(
  {
    a: scan('a'),
    b: scan('b'),
    j: {
      kind: 'join',
      left: 'a',
      right: 'b',
      join: 'inner',
      on: { kind: 'lit', value: { type: 'bool', value: true } },
    },
    o: order('j', column('a', 'id'), column('b', 'id')),
    p: {
      kind: 'project',
      input: 'o',
      fields: [
        { as: 'a', expr: column('a', 'text') },
        { as: 'b', expr: column('b', 'text') },
      ],
    },
  },
  'p',
  'many',
);

export const all = query({ a: scan('a'), o: order('a', column('a', 'id')) }, 'o', 'many');

function order(input: string, ...terms: unknown[]) {
  return { kind: 'order', input, terms: terms.map((expr) => ({ expr })) };
}

export const divided = query(
  {
    a: scan('a'),
    o: order('a', column('a', 'id')),
    p: {
      kind: 'project',
      input: 'o',
      fields: [
        {
          as: 'x',
          expr: { kind: 'binary', op: 'div', left: literal('1'), right: column('a', 'id') },
        },
      ],
    },
  },
  'p',
  'many',
);
