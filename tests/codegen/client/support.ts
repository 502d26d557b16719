/** A client over a database in memory, with a network that fails as written down, and a clock that goes when nobody has anything to do. */

import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import type { SchemaFile } from '../../support/schema-file.ts';
import {
  type Client,
  type ClientOptions,
  type Compiled,
  createClient,
  type Fetch,
  type Generated,
  type KnownTable,
  type Page,
  type PageOptions,
  type Runnable,
  type World,
} from './runtime.ts';

/** What becomes of one request. */
export type Step =
  /** The server answers. */
  | 'served'
  /** The server answers, and the answer is lost. */
  | 'lost'
  /** Nobody listens. */
  | 'refused'
  /** The host has no address. */
  | 'unresolved'
  /** The connection breaks before the server has read anything; the client cannot know. */
  | 'broken'
  /** No answer, ever. */
  | 'silent'
  /** Something answers. */
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    };

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly atMs: number;
}

/** Time that stands still until somebody waits, chance that is always the same. */
export class ScriptedWorld implements World {
  nowMs = 0;
  chance = 0.5;
  private timers: { readonly atMs: number; readonly task: () => void }[] = [];

  now = () => this.nowMs;
  unixMs = () => Date.UTC(2026, 0, 1) + this.nowMs;
  random = () => this.chance;
  after = (delayMs: number, task: () => void) => {
    const timer = { atMs: this.nowMs + delayMs, task };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
    };
  };

  get waiting(): number {
    return this.timers.length;
  }

  /** The next timer goes off. */
  pass(): void {
    const next = this.timers.reduce((a, b) => (b.atMs < a.atMs ? b : a));
    this.timers = this.timers.filter((each) => each !== next);
    this.nowMs = Math.max(this.nowMs, next.atMs);
    next.task();
  }
}

export interface Stage extends AsyncDisposable {
  readonly client: Client;
  readonly world: ScriptedWorld;
  readonly database: TestDatabase;
  readonly sent: Sent[];
  /** Steps still to come; afterwards everything is served. */
  readonly script: Step[];
  /** Lets time pass until it is settled. */
  settled<T>(work: Promise<T>): Promise<T>;
  /** Milliseconds between the requests. */
  waits(): number[];
  commits(): Promise<number>;
}

export const notesSchema: SchemaFile = {
  tables: [
    {
      id: 1,
      name: 'notes',
      columns: [
        { id: 1, name: 'id', type: 'int64', pk: true },
        { id: 2, name: 'text', type: 'text' },
      ],
    },
  ],
};

export const knownTables: readonly KnownTable[] = [
  {
    name: 'notes',
    columns: [
      { name: 'id', type: 'int64', nullable: false },
      { name: 'text', type: 'text', nullable: false },
    ],
    keys: [['id']],
  },
];

/** The rows of `notes` in order. */
export const notes = {
  root: { node: 'o', cardinality: 'many' },
  nodes: {
    s: { kind: 'scan', table: 'notes', scope: 's' },
    o: {
      kind: 'order',
      input: 's',
      terms: [{ expr: { kind: 'col', scope: 's', column: 'id' } }],
    },
  },
};

export interface Note {
  readonly id: number;
  readonly text: string;
}

/** A query or a program as the builder would leave it: compiling does nothing. */
export function compiled<T>(parts: Partial<Compiled<T>> & { readonly body: string }): Runnable<T> {
  const standing: Omit<Compiled, 'body'> = {
    name: 'notes',
    kind: 'query',
    readOnly: true,
    decode: (result) => result,
    locate: () => '',
  };
  return { ...standing, ...parts } as Runnable<T>;
}

export function programOf(...statements: readonly object[]): string {
  return JSON.stringify({ result: 'r', statements });
}

export function read(relation: object = notes): Runnable<Note[]> {
  return compiled<Note[]>({
    body: programOf({ kind: 'query', name: 'r', relation }),
    relationBody: JSON.stringify(relation),
    locate: (pointer) => `step of ${pointer}`,
  });
}

/** A page of notes, by their ids. */
export function pageOfNotes(_query: unknown, { size, after }: PageOptions): Compiled {
  const col = { kind: 'col', scope: 's', column: 'id' };
  const right = { kind: 'lit', value: { type: 'int64', value: after ?? '-1' } };
  const relation = {
    root: { node: 'l', cardinality: 'many' },
    nodes: {
      s: { kind: 'scan', table: 'notes', scope: 's' },
      f: {
        kind: 'filter',
        input: 's',
        predicate: { kind: 'binary', op: 'gt', left: col, right },
      },
      o: { kind: 'order', input: 'f', terms: [{ expr: col }] },
      l: { kind: 'slice', input: 'o', limit: size + 1 },
    },
  };
  const decode = (result: unknown): Page<Note> => {
    const found = result as Note[];
    const rows = found.slice(0, size);
    return { rows, next: found.length > size ? `${rows.at(-1)?.id}` : null, previous: null };
  };
  return { ...(read(relation) as Compiled), decode };
}

/** Adds one note. */
export function write(id: number, text = 'x'): Runnable<Note[]> {
  const relation = {
    root: { node: 'r', cardinality: 'many' },
    nodes: {
      r: {
        kind: 'rows',
        scope: 'r',
        columns: [
          { name: 'id', type: 'int64' },
          { name: 'text', type: 'text' },
        ],
        rows: [[`${id}`, text]],
      },
    },
  };
  return compiled<Note[]>({
    name: 'addNote',
    kind: 'program',
    readOnly: false,
    body: programOf({ kind: 'create', name: 'r', table: 'notes', relation }),
  });
}

export const url = 'http://db.test:7237';

export async function stage(
  options: Partial<ClientOptions> = {},
  script: readonly Step[] = [],
  generated: Partial<Generated> = {},
): Promise<Stage> {
  const database = await openTestDatabase('direct', notesSchema);
  const world = new ScriptedWorld();
  const steps = [...script];
  const sent: Sent[] = [];
  let serving = 0;
  const serve = async ({ method, path, body, headers }: Sent) => {
    serving++;
    try {
      const reply = await database.send(method, path, body, headers);
      return new Response(reply.status === 304 || reply.status === 204 ? null : reply.text, {
        status: reply.status,
        headers: reply.headers,
      });
    } finally {
      serving--;
    }
  };
  const fetch: Fetch = async (target, { method, headers, body, signal }) => {
    const at = { method, path: target.slice(url.length), headers, body, atMs: world.nowMs };
    sent.push(at);
    const step = steps.shift() ?? 'served';
    if (step === 'served') return serve(at);
    if (step === 'lost') {
      await serve(at);
      throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' });
    }
    if (step === 'refused' || step === 'unresolved') {
      const code = step === 'refused' ? 'ECONNREFUSED' : 'ENOTFOUND';
      const cause = Object.assign(new Error('connect'), { code });
      throw new TypeError('fetch failed', { cause });
    }
    if (step === 'broken')
      throw new TypeError('fetch failed', { cause: new Error('other side closed') });
    if (step === 'silent') {
      return new Promise<Response>((_, reject) => {
        signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      });
    }
    const text = typeof step.body === 'string' ? step.body : JSON.stringify(step.body ?? '');
    return new Response(step.status === 204 || step.status === 304 ? null : text, {
      status: step.status,
      headers: step.headers ?? {},
    });
  };
  const client = createClient(
    {
      version: 1,
      hash: 'unknown',
      tables: knownTables,
      compile: (runnable) => runnable as Compiled,
      page: pageOfNotes,
      ...generated,
    },
    { url, schema: 'off', fetch, ...options },
    world,
  );
  return {
    client,
    world,
    database,
    sent,
    script: steps,
    settled: async (work) => {
      let isSettled = false;
      const end = () => {
        isSettled = true;
      };
      work.then(end, end);
      while (!isSettled) {
        // A turn of the event loop: whatever can go on without time passing does so.
        await new Promise((resolve) => setImmediate(resolve));
        if (!isSettled && serving === 0 && world.waiting > 0) world.pass();
      }
      return work;
    },
    waits: () => sent.slice(1).map(({ atMs }, i) => atMs - (sent[i]?.atMs ?? 0)),
    commits: async () => {
      const { json } = await database.send('QUERY', '/execute', notes);
      return (json as unknown[]).length;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** A problem document. */
export function problem(
  status: number,
  code: string,
  reason: string,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Step {
  const body = {
    type: `urn:svc:problem:${code}`,
    title: code,
    status,
    code,
    reason,
    detail: 'why',
    ...more,
  };
  return { status, headers, body };
}
