/** What a client does beside asking again: tokens, middleware, telemetry, giving up, and what errors tell. */

import { describe, expect, test } from 'bun:test';
import {
  AuthError,
  BuildError,
  CardinalityError,
  createClient,
  EnsureError,
  ExecutionError,
  InternalError,
  InvalidError,
  type Middleware,
  OutcomeUnknownError,
  SchemaMismatchError,
  type SpanAttributes,
  SvcError,
  TargetNotFoundError,
  TransportError,
} from './runtime.ts';
import {
  compiled,
  knownTables,
  notes,
  pageOfNotes,
  problem,
  programOf,
  read,
  type Step,
  stage,
  url,
  write,
} from './support.ts';

const refusedToken = problem(401, 'unauthenticated', 'invalid_token');

async function failureOf(work: Promise<unknown>): Promise<SvcError & TransportError> {
  return work.then(
    () => {
      throw new Error('it succeeded');
    },
    (error) => error,
  );
}

describe('a token', () => {
  test('stands in every request, and a fixed one is never asked for', async () => {
    await using on = await stage({ token: 'abc' });
    await on.settled(on.client.run(read()));
    expect(on.sent[0]?.headers).toMatchObject({ authorization: 'Bearer abc' });
  });

  test('is asked for before each request, and once for those that wait together', async () => {
    let asked = 0;
    await using on = await stage({ token: async () => `t${++asked}` });
    await on.settled(Promise.all([on.client.run(read()), on.client.run(read())]));
    await on.settled(on.client.run(read()));
    expect(on.sent.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer t1',
      'Bearer t1',
      'Bearer t2',
    ]);
  });

  test('that is refused is asked for once more, for one repeat, even of a write', async () => {
    let asked = 0;
    await using on = await stage({ token: () => `t${++asked}`, retry: { attempts: 1 } }, [
      refusedToken,
    ]);
    await on.settled(on.client.run(write(1)));
    expect(on.sent.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer t1',
      'Bearer t2',
    ]);
    expect(await on.commits()).toBe(1);
  });

  test('that is refused twice is an AuthError', async () => {
    await using on = await stage({ token: () => 't' }, [refusedToken, refusedToken]);
    const error = await failureOf(on.settled(on.client.run(read())));
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ attempts: 2, status: 401, reason: 'invalid_token' });
  });

  test('that nobody can have leaves the reason as it is, and the next request asks again', async () => {
    const why = new Error('signed out');
    let isOut = true;
    await using on = await stage({
      token: () => {
        if (isOut) throw why;
        return 't';
      },
    });
    expect(await failureOf(on.settled(on.client.run(read())))).toBe(why as never);
    isOut = false;
    await on.settled(on.client.run(read()));
    expect(on.sent.length).toBe(1);
  });

  test('with a line break is refused and not shown', async () => {
    await using on = await stage({ token: () => 'secret\nx' });
    const error = await failureOf(on.settled(on.client.run(read())));
    expect(error).toBeInstanceOf(BuildError);
    expect(error.message).not.toContain('secret');
    expect(() => createClient(generated, { url, token: '' })).toThrow(BuildError);
  });

  test('that takes for ever ends with the time', async () => {
    await using on = await stage({ token: () => new Promise(() => {}) });
    const error = await failureOf(on.settled(on.client.run(write(1))));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ phase: 'timeout', sent: false, attempts: 0 });
  });
});

const generated = {
  version: 1,
  hash: 'x',
  tables: knownTables,
  compile: (runnable: unknown) => runnable as never,
  page: pageOfNotes,
};

describe('an operation is given up', () => {
  test('by a signal while it waits for the answer: nobody knows whether a write happened', async () => {
    await using on = await stage({}, ['silent']);
    const control = new AbortController();
    const work = on.client.run(write(1), { signal: control.signal });
    await Promise.resolve().then(() => Promise.resolve());
    expect(on.sent.length).toBe(1);
    control.abort();
    const error = await failureOf(work);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ phase: 'aborted', sent: true, operation: 'addNote' });
    expect(on.world.waiting).toBe(0);
  });

  test('by a signal between two attempts: a write has not happened', async () => {
    await using on = await stage({}, [problem(409, 'conflict', 'serializable_conflict')]);
    const control = new AbortController();
    const work = on.client.run(write(1), { signal: control.signal });
    while (on.world.waiting < 2) await new Promise((resolve) => setImmediate(resolve));
    control.abort();
    expect(await failureOf(work)).toMatchObject({ phase: 'aborted', sent: false, attempts: 1 });
    expect(on.world.waiting).toBe(0);
    expect(on.sent.length).toBe(1);
  });

  test('by a signal while a read waits, with what fetch said of it', async () => {
    await using on = await stage({}, ['silent']);
    const control = new AbortController();
    const work = on.client.run(read(), { signal: control.signal });
    await Promise.resolve().then(() => Promise.resolve());
    control.abort();
    const error = await failureOf(work);
    expect(error).toMatchObject({ phase: 'aborted', sent: true });
    expect(error.cause).toBeInstanceOf(DOMException);
  });

  test('by a signal that fires while a token is asked for', async () => {
    const control = new AbortController();
    const token = () => {
      control.abort();
      return new Promise<string>(() => {});
    };
    await using on = await stage({ token });
    const error = await failureOf(on.settled(on.client.run(read(), { signal: control.signal })));
    expect(error).toMatchObject({ phase: 'aborted', sent: false, attempts: 0 });
    expect(on.world.nowMs).toBe(0);
  });

  test('before it is sent, by a signal that has fired already', async () => {
    await using on = await stage();
    const error = await failureOf(on.client.run(read(), { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ phase: 'aborted', sent: false, attempts: 0 });
    expect(on.sent).toEqual([]);
  });

  test('by close, with all others, and nothing begins afterwards', async () => {
    await using on = await stage({}, ['silent', 'silent']);
    const works = [on.client.run(read()), on.client.run(write(1))].map(failureOf);
    await Promise.resolve().then(() => Promise.resolve());
    on.client.close();
    expect(await Promise.all(works)).toMatchObject([{ phase: 'aborted' }, { phase: 'aborted' }]);
    expect(await failureOf(on.client.run(read()))).toMatchObject({ phase: 'aborted', attempts: 0 });
    expect(on.sent.length).toBe(2);
  });

  test("after its own time, not the client's", async () => {
    await using on = await stage({ timeoutMs: 1000 }, ['silent', 'silent']);
    await failureOf(on.settled(on.client.run(read(), { timeoutMs: 40 })));
    expect(on.world.nowMs).toBe(40);
    await failureOf(on.settled(on.client.run(read())));
    expect(on.world.nowMs).toBe(1040);
  });
});

describe('an operation that is done', () => {
  test('leaves nothing with the signal it was given, and is not given up by close', async () => {
    const signals: AbortSignal[] = [];
    const use: Middleware[] = [
      (operation, next) => {
        signals.push(operation.signal);
        return next(operation);
      },
    ];
    await using on = await stage({ use });
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (type: string, listener: EventListener) => {
      listeners.add(listener);
      addEventListener.call(signal, type, listener);
    };
    signal.removeEventListener = (type: string, listener: EventListener) => {
      listeners.delete(listener);
      removeEventListener.call(signal, type, listener);
    };
    await on.settled(on.client.run(read(), { signal }));
    expect(listeners.size).toBe(0);
    on.client.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});

describe('middleware', () => {
  test('sees each attempt, outermost first, and may change headers', async () => {
    const seen: string[] = [];
    const layer =
      (name: string): Middleware =>
      async (operation, next) => {
        seen.push(`${name} ${operation.kind} ${operation.name} ${operation.attempt}`);
        const answer = await next({
          ...operation,
          headers: { ...operation.headers, [`x-${name}`]: '1' },
        });
        seen.push(`${name} ${answer.status}`);
        return answer;
      };
    await using on = await stage({ use: [layer('a'), layer('b')] }, [
      problem(409, 'conflict', 'serializable_conflict'),
    ]);
    await on.settled(on.client.run(write(1)));
    expect(seen).toEqual(
      [1, 2].flatMap((attempt) => {
        const status = attempt === 1 ? 409 : 200;
        return [
          `a program addNote ${attempt}`,
          `b program addNote ${attempt}`,
          `b ${status}`,
          `a ${status}`,
        ];
      }),
    );
    expect(on.sent[1]?.headers).toMatchObject({ 'x-a': '1', 'x-b': '1' });
  });

  test('may answer by itself', async () => {
    const text = '{"result":[{"id":7,"text":"made up"}],"statements":[]}';
    const use: Middleware[] = [async () => ({ status: 200, headers: new Headers(), text })];
    await using on = await stage({ use });
    expect(await on.client.run(read())).toEqual([{ id: 7, text: 'made up' }]);
    expect(on.sent).toEqual([]);
  });

  test('that throws is not taken for a broken connection', async () => {
    const why = new TypeError('a mistake');
    await using on = await stage({ use: [() => Promise.reject(why)] });
    expect(await failureOf(on.settled(on.client.run(read())))).toBe(why as never);
    expect(on.sent).toEqual([]);
  });
});

describe('telemetry', () => {
  const spans: (readonly [string, SpanAttributes, SpanAttributes])[] = [];
  const telemetry = {
    inject: (headers: Record<string, string>) => {
      headers['traceparent'] = '00-1-2-01';
    },
    span: async <T>(
      name: string,
      attributes: SpanAttributes,
      run: (end: (attributes: SpanAttributes) => void) => Promise<T>,
    ) => {
      let last: SpanAttributes = {};
      try {
        return await run((at) => {
          last = at;
        });
      } finally {
        spans.push([name, attributes, last]);
      }
    },
  };

  test('has one span for an operation with all its attempts, and hands its context on', async () => {
    spans.length = 0;
    await using on = await stage({ telemetry }, [
      problem(409, 'conflict', 'serializable_conflict'),
    ]);
    await on.settled(on.client.run(write(1), { name: 'signUp' }));
    expect(spans).toEqual([
      [
        'signUp',
        { 'db.operation.name': 'signUp', 'db.system.name': 'svc' },
        { attempts: 2, 'http.response.status_code': 200 },
      ],
    ]);
    expect(on.sent.map(({ headers }) => headers['traceparent'])).toEqual([
      '00-1-2-01',
      '00-1-2-01',
    ]);
  });

  test('tells the reason of a failure', async () => {
    spans.length = 0;
    await using on = await stage({ telemetry }, [
      problem(422, 'invalid', 'unknown_column'),
      'silent',
    ]);
    await failureOf(on.settled(on.client.run(read())));
    await failureOf(on.settled(on.client.run(read())));
    expect(spans.map(([, , end]) => end['error.type'])).toEqual(['unknown_column', 'timeout']);
  });
});

describe('an error', () => {
  test('has all members of the problem, even those that nobody knows yet', async () => {
    const step = problem(422, 'invalid', 'unknown_column', {
      location: { pointer: '/statements/0/relation/nodes/o', node: 'o' },
      novel: { depth: 1 },
      name: 'not the name of the class',
    });
    await using on = await stage({}, [step]);
    const error = await failureOf(on.settled(on.client.run(read(), { name: 'feed' })));
    expect(error).toBeInstanceOf(InvalidError);
    expect(error).toBeInstanceOf(SvcError);
    expect(error).toMatchObject({
      ...(step as { body: object }).body,
      ...{ name: 'InvalidError' },
      operation: 'feed',
      attempts: 1,
      step: 'step of /statements/0/relation/nodes/o',
    });
    expect(error.message).toBe(
      'feed: why (unknown_column, step of /statements/0/relation/nodes/o)',
    );
    expect(error.callSite).toBeUndefined();
  });

  test('of debug tells where the call was made', async () => {
    await using on = await stage({ debug: true }, [
      problem(422, 'invalid', 'unknown_column'),
      'silent',
    ]);
    async function callerOfRun() {
      return on.client.run(read());
    }
    expect((await failureOf(on.settled(callerOfRun()))).callSite).toContain('callerOfRun');
    expect((await failureOf(on.settled(callerOfRun()))).callSite).toContain('callerOfRun');
  });

  const division = { kind: 'binary', op: 'div' };
  const int = (value: string) => ({ kind: 'lit', value: { type: 'int64', value } });
  const oneOver = (count: string) => ({
    root: { node: 'p', cardinality: 'many' },
    nodes: {
      r: { kind: 'rows', scope: 'r', columns: [{ name: 'n', type: 'int64' }], rows: [[count]] },
      o: { kind: 'order', input: 'r', terms: [{ expr: { kind: 'col', scope: 'r', column: 'n' } }] },
      p: {
        kind: 'project',
        input: 'o',
        fields: [
          {
            as: 'n',
            expr: { ...division, left: int('1'), right: { kind: 'col', scope: 'r', column: 'n' } },
          },
        ],
      },
    },
  });

  test('of a guard names the guard, and the program has not happened', async () => {
    await using on = await stage();
    const insert = JSON.parse((write(1) as unknown as { body: string }).body).statements[0];
    const ensure = { kind: 'query', name: 'ensure_funds', relation: oneOver('0') };
    const program = { body: programOf(insert, ensure), kind: 'program', readOnly: false } as const;
    const error = await failureOf(on.settled(on.client.run(compiled(program))));
    expect(error).toBeInstanceOf(EnsureError);
    expect(error).toBeInstanceOf(ExecutionError);
    expect(error).toMatchObject({ guard: 'funds', reason: 'division_by_zero' });
    expect(await on.commits()).toBe(0);
  });

  test('of a division that is no guard is no EnsureError', async () => {
    await using on = await stage();
    const program = programOf({ kind: 'query', name: 'r', relation: oneOver('0') });
    const error = await failureOf(on.settled(on.client.run(compiled({ body: program }))));
    expect(error.name).toBe('ExecutionError');
  });

  test('of a row that must be there has its class', async () => {
    await using on = await stage();
    const one = { ...notes, root: { node: 'o', cardinality: 'exactly_one' } };
    expect(await failureOf(on.settled(on.client.run(read(one))))).toBeInstanceOf(CardinalityError);
    on.script.push(problem(422, 'execution_failed', 'mutation_target_not_found'));
    expect(await failureOf(on.settled(on.client.run(write(1))))).toBeInstanceOf(
      TargetNotFoundError,
    );
  });

  test('keeps what the network said as its cause', async () => {
    await using on = await stage({}, ['broken']);
    const error = await failureOf(on.settled(on.client.run(write(1))));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toBeInstanceOf(InternalError);
    expect(error.cause).toBeInstanceOf(TransportError);
    expect(error.cause).toMatchObject({ phase: 'response', sent: true });
    expect(((error.cause as Error).cause as Error).message).toBe('fetch failed');
  });
});

describe('options', () => {
  test('addresses become origins', async () => {
    const asked = async (address: string) => {
      let found = '';
      const fetch = async (to: string) => {
        found = to;
        return new Response('{"result":1,"statements":[]}');
      };
      await createClient(generated, { url: address, schema: 'off', fetch }).run(read());
      return found;
    };
    expect(await asked('svc://db.example')).toBe('http://db.example:7237/execute');
    expect(await asked('svcs://db.example:1/')).toBe('https://db.example:1/execute');
    expect(await asked('https://db.example')).toBe('https://db.example/execute');
    expect(await asked('http://[::1]:8080/svc/')).toBe('http://[::1]:8080/svc/execute');
  });

  for (const address of [
    '',
    'db',
    'ftp://db',
    'svc://u:p@db',
    'svc://db?x',
    'svc://',
    'svc://d b',
  ]) {
    test(`"${address}" is no address`, () => {
      expect(() => createClient(generated, { url: address })).toThrow(BuildError);
    });
  }

  test('headers go with every request, those of the call last', async () => {
    await using on = await stage({ headers: { 'X-Tenant': 'a', 'x-app': 'b' } });
    await on.settled(on.client.run(read(), { headers: { 'x-tenant': 'c' } }));
    expect(on.sent[0]?.headers).toEqual({
      'x-tenant': 'c',
      'x-app': 'b',
      'content-type': 'application/json',
    });
    expect(() => createClient(generated, { url, headers: { 'x-a': 'b\r\nc' } })).toThrow(
      BuildError,
    );
    const error = await failureOf(on.client.run(read(), { headers: { 'x y': '' } }));
    expect(error).toBeInstanceOf(BuildError);
    expect(on.sent.length).toBe(1);
  });

  test('integers beyond 2^53 come as texts, texts and fractions as they are', async () => {
    const text =
      '{"result":[9007199254740993,-9223372036854775808,"1234567890123456789",0.12345678901234566,"\\"9007199254740993",1e300,123456789012345],"statements":[]}';
    await using on = await stage({}, [{ status: 200, body: text }]);
    expect(await on.client.run<unknown>(read())).toEqual([
      '9007199254740993',
      '-9223372036854775808',
      '1234567890123456789',
      0.12345678901234566,
      '"9007199254740993',
      1e300,
      123456789012345,
    ]);
  });
});

describe('the reader', () => {
  test('runs queries on its own address, and nothing that writes', async () => {
    const asked: string[] = [];
    const fetch = async (to: string) => {
      asked.push(to);
      return new Response('{"result":[],"statements":[]}');
    };
    const client = createClient(generated, {
      url,
      readerUrl: 'svc://reader',
      schema: 'off',
      fetch,
    });
    await client.reader.run(read());
    await client.run(read());
    expect(await failureOf(client.reader.run(write(1)))).toBeInstanceOf(BuildError);
    expect(await failureOf(client.reader.raw({ statements: [{ kind: 'create' }] }))).toBeInstanceOf(
      BuildError,
    );
    expect(asked).toEqual(['http://reader:7237/execute', `${url}/execute`]);
  });
});

describe('the schema', () => {
  const checks = (sent: readonly { readonly path: string }[]) =>
    sent.map(({ path }) => path).filter((path) => path.startsWith('/schema'));
  const fits: Step = { status: 204, body: '' };
  const older = problem(422, 'invalid', 'schema_client_outdated');

  test('is asked for once, before the first operation, whatever runs together', async () => {
    await using on = await stage({ schema: 'exact' });
    const { schema_version, schema_hash } = (await on.database.send('GET', '/schema')).json as {
      schema_version: bigint;
      schema_hash: string;
    };
    await using fit = await stage({ schema: 'exact' }, [], {
      version: Number(schema_version),
      hash: schema_hash,
    });
    await fit.settled(Promise.all([fit.client.run(read()), fit.client.run(write(1))]));
    await fit.settled(fit.client.run(read()));
    expect(fit.sent.map(({ path }) => path)).toEqual([
      '/schema/compatibility',
      '/execute',
      '/execute',
      '/execute',
    ]);
    expect(JSON.parse(fit.sent[0]?.body ?? '')).toEqual({
      schema_version: Number(schema_version),
      schema_hash,
    });
  });

  test('exact: another one is refused before anything is sent', async () => {
    await using on = await stage({ schema: 'exact' });
    const error = await failureOf(on.settled(on.client.run(write(1))));
    expect(error).toBeInstanceOf(SchemaMismatchError);
    expect(error).toMatchObject({ differences: [], operation: 'schema check' });
    expect(on.sent.map(({ path }) => path)).toEqual(['/schema/compatibility']);
  });

  test('verify: another version of the same schema is fine, and no event', async () => {
    let events = 0;
    await using probe = await stage();
    const hash = (await probe.database.send('GET', '/schema')).json as { schema_hash: string };
    const on2 = { schemaDrift: () => void events++ };
    await using on = await stage({ schema: 'verify', on: on2 }, [older], {
      hash: hash.schema_hash,
    });
    await on.settled(on.client.run(write(1)));
    expect(checks(on.sent)).toEqual(['/schema/compatibility', '/schema']);
    expect(events).toBe(0);
  });

  test('verify: one that has more is told once, and works', async () => {
    const drifts: object[] = [];
    const told = { schemaDrift: (drift: object) => void drifts.push(drift) };
    await using on = await stage({ schema: 'verify', on: told });
    await on.settled(on.client.run(write(1)));
    await on.settled(on.client.run(read()));
    expect(on.sent.length).toBe(4);
    on.script.push(problem(422, 'invalid', 'unknown_column'));
    expect(await failureOf(on.settled(on.client.run(read())))).toMatchObject({ attempts: 1 });
    expect(on.sent.length).toBe(7);
    expect(drifts).toMatchObject([{ schema_version: 1 }]);
  });

  const table = { name: 'notes', primary_key: ['id'] };
  const id = { id: 1, name: 'id', type: 'int64' };
  const text = { id: 2, name: 'text', type: 'text' };
  const servers: readonly (readonly [
    what: string,
    tables: readonly object[],
    differences: string[],
  ])[] = [
    ['a table is gone', [], ['table notes is not there']],
    ['a column is gone', [{ ...table, columns: [id] }], ['column notes.text is not there']],
    [
      'a column has another type',
      [{ ...table, columns: [id, { ...text, type: 'int64' }] }],
      ['column notes.text is int64, not text'],
    ],
    [
      'a column has a format',
      [{ ...table, columns: [{ ...id, format: 'unix_ms' }, text] }],
      ['column notes.id is int64 unix_ms, not int64'],
    ],
    [
      'a column may be null',
      [{ ...table, columns: [id, { ...text, nullable: true }] }],
      ['column notes.text may be null'],
    ],
    [
      'a column must be given',
      [{ ...table, columns: [id, text, { id: 3, name: 'tag', type: 'text' }] }],
      ['column notes.tag is new, and an insert must give it'],
    ],
    [
      'a key is not unique any more',
      [{ ...table, primary_key: ['text'], columns: [id, text] }],
      ['notes(id) is not unique any more'],
    ],
    [
      'several things at once',
      [{ ...table, primary_key: ['text'], columns: [text] }],
      ['column notes.id is not there', 'notes(id) is not unique any more'],
    ],
    [
      'only more: columns with defaults, a unique index in place of the key',
      [
        {
          ...table,
          primary_key: ['text'],
          columns: [
            text,
            id,
            { ...text, name: 'a', default: { value: '' } },
            { ...text, name: 'b', nullable: true },
          ],
          indexes: [{ name: 'i', columns: ['id'], unique: true }],
        },
        { ...table, name: 'more', columns: [id] },
      ],
      [],
    ],
  ];
  for (const [what, tables, differences] of servers) {
    test(`verify: ${what}`, async () => {
      const state = { schema_version: 9, schema_hash: 'other', schema: { tables } };
      const script = [older, { status: 200, body: state }, { status: 200, body: { result: [] } }];
      await using on = await stage({ schema: 'verify' }, script);
      const work = on.settled(on.client.run(read()));
      if (differences.length === 0) {
        expect(await work).toEqual([]);
        return;
      }
      const error = await failureOf(work);
      expect(error).toBeInstanceOf(SchemaMismatchError);
      expect(error).toMatchObject({ differences });
      for (const difference of differences) expect(error.message).toContain(difference);
      expect(on.sent.length).toBe(2);
    });
  }

  test('is looked at once more after an error that it may have caused', async () => {
    const unknown = problem(422, 'invalid', 'unknown_column');
    await using on = await stage({ schema: 'exact' }, [fits, unknown, older]);
    const error = await failureOf(on.settled(on.client.run(read())));
    expect(error).toBeInstanceOf(SchemaMismatchError);
    expect(on.sent.map(({ path }) => path)).toEqual([
      '/schema/compatibility',
      '/execute',
      '/schema/compatibility',
    ]);
  });

  test('that still fits leaves such an error as it was', async () => {
    const unknown = problem(422, 'invalid', 'type_mismatch');
    await using on = await stage({ schema: 'exact' }, [fits, unknown, fits]);
    expect(await failureOf(on.settled(on.client.run(read())))).toMatchObject({
      reason: 'type_mismatch',
      operation: 'notes',
    });
  });

  test('is not looked at for other errors, nor with off', async () => {
    const other = problem(422, 'invalid', 'constraint_violation');
    await using on = await stage({ schema: 'exact' }, [fits, other]);
    await failureOf(on.settled(on.client.run(write(1))));
    expect(on.sent.length).toBe(2);
    await using off = await stage({}, [problem(422, 'invalid', 'unknown_table')]);
    await failureOf(off.settled(off.client.run(read())));
    expect(off.sent.length).toBe(1);
  });

  test('that nobody told is asked for by the next operation', async () => {
    const gone = problem(500, 'internal', 'catalog_corrupt');
    await using on = await stage({ schema: 'exact' }, [gone, fits]);
    expect(await failureOf(on.settled(on.client.run(read())))).toMatchObject({
      operation: 'schema check',
    });
    expect(await on.settled(on.client.run(read()))).toEqual([]);
  });

  test('verify: is not read when the first answer says something else', async () => {
    const gone = problem(500, 'internal', 'catalog_corrupt');
    await using on = await stage({ schema: 'verify' }, [gone]);
    const error = await failureOf(on.settled(on.client.run(read())));
    expect(error).toMatchObject({ reason: 'catalog_corrupt' });
    expect(on.sent.length).toBe(1);
  });

  test('that takes too long is given up with the operation', async () => {
    await using on = await stage({ schema: 'exact' }, ['silent']);
    const error = await failureOf(on.settled(on.client.run(write(1), { timeoutMs: 5 })));
    expect(error).toMatchObject({ phase: 'timeout', sent: false, operation: 'addNote' });
    expect(on.world.nowMs).toBe(5);
  });
});
