/** What must work on every runtime. No API but that of the client and of the web: this file is bundled and run elsewhere. */

import { createClient } from '../../../../clients/typescript/runtime/client/client.ts';
import {
  ConstraintError,
  OutcomeUnknownError,
  SchemaMismatchError,
  SvcError,
  TransportError,
} from '../../../../clients/typescript/runtime/client/errors.ts';
import type { ClientOptions } from '../../../../clients/typescript/runtime/client/options.ts';
import type { Compiled, Runnable } from '../../../../clients/typescript/runtime/client/seam.ts';

interface Note {
  readonly id: number | string;
  readonly text: string;
}

const id = { kind: 'col', scope: 's', column: 'id' };
const notes = {
  root: { node: 'o', cardinality: 'many' },
  nodes: {
    s: { kind: 'scan', table: 'notes', scope: 's' },
    o: { kind: 'order', input: 's', terms: [{ expr: id }] },
  },
};

function compiled(kind: 'query' | 'create', relation: object): Runnable<Note[]> {
  const target = kind === 'create' ? { table: 'notes' } : {};
  const statement = { kind, name: 'r', ...target, relation };
  const found: Compiled<Note[]> = {
    name: kind,
    kind: kind === 'query' ? 'query' : 'program',
    readOnly: kind === 'query',
    body: JSON.stringify({ result: 'r', statements: [statement] }),
    relationBody: kind === 'query' ? JSON.stringify(relation) : undefined,
    decode: (result) => result as Note[],
    locate: (pointer) => pointer,
  };
  return found as Runnable<Note[]>;
}

const table = {
  insertMany: (rows: readonly Note[]) =>
    compiled('create', {
      root: { node: 'r', cardinality: 'many' },
      nodes: {
        r: {
          kind: 'rows',
          scope: 'r',
          columns: [
            { name: 'id', type: 'int64' },
            { name: 'text', type: 'text' },
          ],
          rows: rows.map((row) => [`${row.id}`, row.text]),
        },
      },
    }),
};

const all = compiled('query', notes);
const add = (note: Note) => table.insertMany([note]);

export interface Places {
  /** Of the server. */
  readonly url: string;
  /** Nobody listens there. */
  readonly closed: string;
  /** Breaks every connection. */
  readonly breaking: string;
  /** Takes requests and never answers. */
  readonly silent: string;
}

/** The names of the checks, all of which have passed. Rejects with the first one that has not. */
export async function smoke({ url, closed, breaking, silent }: Places): Promise<string[]> {
  const over = (options: Partial<ClientOptions> = {}, hash = '') =>
    createClient(
      {
        version: 1,
        hash,
        tables: [],
        compile: (runnable) => runnable as Compiled,
        page: () => ({
          ...(all as Compiled),
          decode: (rows) => ({ rows, next: null, previous: null }),
        }),
      },
      { url, schema: 'off', retry: { attempts: 2, capMs: 10 }, ...options },
    );
  const db = over();
  const passed: string[] = [];
  const check = (what: string, holds: boolean) => {
    if (!holds) throw new Error(`after ${passed.length} checks: ${what}`);
    passed.push(what);
  };
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => new Error('it succeeded'),
      (error: unknown) => error,
    );
  const phaseOf = (error: unknown) => (error instanceof TransportError ? error.phase : `${error}`);

  check('an empty table is read', (await db.run(all)).length === 0);
  const text = 'ä 𝕊 "\\\n\u0000';
  const [made] = await db.run(add({ id: 1, text }));
  check('a row is written, its text as it was', made?.text === text);
  check('a row is read', (await db.run(all))[0]?.text === text);
  await db.run(add({ id: '9007199254740993', text: 'large' }));
  check('an integer keeps its digits', (await db.run(all))[1]?.id === '9007199254740993');

  const first = await db.cached(all);
  check('a kept result is frozen', Object.isFrozen(first) && Object.isFrozen(first[0]));
  check('a kept result is the same object', (await db.cached(all)) === first);
  await db.run(add({ id: 2, text: 'b' }));
  check('a kept result follows a change', (await db.cached(all)).length === 3);

  const again = await failure(db.run(add({ id: 1, text })));
  check('a constraint has its class', again instanceof ConstraintError && again.table === 'notes');
  check('an error has its name', again instanceof SvcError && again.name === 'ConstraintError');
  check('an error tells the operation', again instanceof SvcError && again.operation === 'create');

  check('a page is read', (await db.page(all, { size: 9 })).rows.length === 3);
  let pages = 0;
  for await (const rows of db.pages(all, 9)) pages += rows.length;
  check('pages are iterated', pages === 3);
  check('a plan is told', (await db.explain(all)).statements.length === 1);
  check('a check runs nothing', (await db.check(add({ id: 3, text: 'c' }))) === undefined);
  const analysis = await db.analyze(all, 'full');
  check('a refused level is reported', analysis.refused !== undefined);
  check('an analysis has the result', analysis.result.length === 3);
  const raw = await db.raw(JSON.parse((all as Compiled).body));
  check('a raw program is answered', raw.statements.length === 1);
  const many = Array.from({ length: 1200 }, (_, i) => ({ id: 100 + i, text: 'x'.repeat(100) }));
  check('many rows are copied', (await db.copy(table, many)) === 1200);
  const together = await Promise.all(Array.from({ length: 8 }, () => db.run(all)));
  check(
    'eight run together',
    together.every((rows) => rows.length === 1203),
  );

  let looks = 0;
  for await (const rows of db.watch(all, { everyMs: 10 })) {
    looks += rows.length;
    if (looks > 2000) break;
    await db.run(add({ id: 3, text: 'c' }));
  }
  check('a change is seen by watching', looks === 1203 + 1204);

  const refused = await failure(over({ url: closed }).run(add({ id: 4, text: 'd' })));
  // Browsers do not tell this from a broken connection, neither pages nor workers.
  const isBrowser = globalThis.navigator?.userAgent.startsWith('Mozilla');
  check(
    'a refused connection is certainly unsent, where that is told',
    isBrowser
      ? refused instanceof OutcomeUnknownError
      : refused instanceof TransportError && refused.phase === 'connect' && refused.attempts === 2,
  );
  const broken = await failure(over({ url: breaking }).run(add({ id: 4, text: 'd' })));
  check('a broken connection leaves a write unknown', broken instanceof OutcomeUnknownError);
  const reading = await failure(over({ url: breaking }).run(all));
  check('a broken connection of a read is told as such', phaseOf(reading) === 'response');
  const late = await failure(over({ url: silent, timeoutMs: 50 }).run(all));
  check('silence ends with the time', phaseOf(late) === 'timeout');
  const control = new AbortController();
  const asked = failure(over({ url: silent }).run(all, { signal: control.signal }));
  control.abort();
  check('a signal ends an operation', phaseOf(await asked) === 'aborted');

  const traced = over({
    telemetry: {
      inject: (headers) => {
        headers['traceparent'] = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
      },
    },
  });
  check('headers are injected', (await traced.run(all)).length === 1204);
  const mismatch = await failure(over({ schema: 'exact' }, 'another').run(all));
  check('another schema is told', mismatch instanceof SchemaMismatchError);
  check(
    'a schema that fits is fine',
    (await over({ schema: 'verify' }, 'another').run(all)).length > 0,
  );
  const busy = failure(over({ url: silent }).run(all));
  db.close();
  check('a closed client runs nothing', phaseOf(await failure(db.run(all))) === 'aborted');
  void busy;
  return passed;
}
