/** Reading with a memory: answers kept by entity tag, watching, pages; and asking how things would run. */

import { describe, expect, test } from 'bun:test';
import {
  BuildError,
  type Compiled,
  ConstraintError,
  InvalidError,
  OutcomeUnknownError,
  type Runnable,
  TransportError,
} from './runtime.ts';
import { type Note, problem, programOf, read, type Stage, stage, write } from './support.ts';

const methods = (on: Stage) => on.sent.map(({ method }) => method);

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('it succeeded');
    },
    (error) => error,
  );
}

describe('a kept answer', () => {
  test('is the same object until something changes, frozen at every depth', async () => {
    await using on = await stage();
    await on.settled(on.client.run(write(1)));
    const first = await on.settled(on.client.cached(read()));
    const second = await on.settled(on.client.cached(read()));
    expect(second).toBe(first);
    expect(first).toEqual([{ id: 1, text: 'x' }]);
    expect(Object.isFrozen(first) && Object.isFrozen(first[0])).toBe(true);
    expect(on.sent.at(-1)?.headers['if-none-match']).toMatch(/^W\/"/);
    await on.settled(on.client.run(write(2)));
    const third = await on.settled(on.client.cached(read()));
    expect(third).not.toBe(first);
    expect(third.length).toBe(2);
    expect(methods(on)).toEqual(['POST', 'QUERY', 'QUERY', 'POST', 'QUERY']);
  });

  test('is another one for another token', async () => {
    let token = 'a';
    await using on = await stage({ token: () => token });
    const first = await on.settled(on.client.cached(read()));
    token = 'b';
    expect(await on.settled(on.client.cached(read()))).not.toBe(first);
    expect(on.sent.at(-1)?.headers).not.toHaveProperty('if-none-match');
    token = 'a';
    expect(await on.settled(on.client.cached(read()))).toBe(first);
  });

  test('waits for a token no longer than for anything else, and asks for one once', async () => {
    let asked = 0;
    let isThere = true;
    const token = () => {
      asked++;
      return isThere ? 't' : new Promise<string>(() => {});
    };
    await using on = await stage({ token });
    await on.settled(on.client.cached(read()));
    expect(asked).toBe(1);
    isThere = false;
    const error = await failureOf(on.settled(on.client.cached(read())));
    expect(error).toMatchObject({ phase: 'timeout', sent: false });
  });

  test('stays when the server sends it again under the same tag', async () => {
    const answer = { status: 200, headers: { etag: 'W/"1"' }, body: [{ id: 1, text: 'x' }] };
    await using on = await stage({}, [answer, answer]);
    const first = await on.settled(on.client.cached(read()));
    expect(await on.settled(on.client.cached(read()))).toBe(first);
  });

  test('is that of the token that was taken in the end', async () => {
    let asked = 0;
    await using on = await stage({ token: () => `t${++asked}` });
    on.script.push(problem(401, 'unauthenticated', 'invalid_token'));
    const first = await on.settled(on.client.cached(read()));
    asked = 1;
    expect(await on.settled(on.client.cached(read()))).toBe(first);
    expect(on.sent.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer t1',
      'Bearer t2',
      'Bearer t2',
    ]);
  });

  test('has bytes in it as they are', async () => {
    await using on = await stage();
    const bytes = Uint8Array.of(1, 2);
    const query = { ...(read() as Compiled), decode: () => ({ bytes, at: new Date(0) }) };
    const found = await on.settled(
      on.client.cached(query as unknown as Runnable<{ bytes: Uint8Array }>),
    );
    expect(found.bytes).toBe(bytes);
  });

  /** The rows up to an id: as many queries as one likes. */
  const upTo = (id: number): Runnable<Note[]> => {
    const relation = {
      root: { node: 'o', cardinality: 'many' },
      nodes: {
        s: { kind: 'scan', table: 'notes', scope: 's' },
        f: {
          kind: 'filter',
          input: 's',
          predicate: {
            kind: 'binary',
            op: 'lte',
            left: { kind: 'col', scope: 's', column: 'id' },
            right: { kind: 'lit', value: { type: 'int64', value: `${id}` } },
          },
        },
        o: {
          kind: 'order',
          input: 'f',
          terms: [{ expr: { kind: 'col', scope: 's', column: 'id' } }],
        },
      },
    };
    return read(relation);
  };
  const kept = async (on: Stage, id: number) => {
    await on.settled(on.client.cached(upTo(id)));
    return on.sent.at(-1)?.headers['if-none-match'] !== undefined;
  };

  test('goes when there are more than may be kept, the one used longest ago first', async () => {
    await using on = await stage({ cache: { entries: 2 } });
    await kept(on, 1);
    await kept(on, 2);
    expect(await kept(on, 1)).toBe(true);
    await kept(on, 3);
    expect(await kept(on, 1)).toBe(true);
    expect(await kept(on, 2)).toBe(false);
  });

  test('goes when they are larger together than may be kept', async () => {
    await using on = await stage({ cache: { bytes: 1800 } });
    await kept(on, 1);
    await kept(on, 2);
    expect(await kept(on, 2)).toBe(true);
    await kept(on, 3);
    expect(await kept(on, 1)).toBe(false);
    await using none = await stage({ cache: { bytes: 100 } });
    await kept(none, 1);
    expect(await kept(none, 1)).toBe(false);
  });

  test('that is replaced by a newer one takes its room', async () => {
    await using on = await stage({ cache: { bytes: 3000 } });
    for (const id of [1, 2, 3, 4]) {
      await kept(on, 9);
      await on.settled(on.client.run(write(id)));
    }
    expect(await kept(on, 9)).toBe(true);
    await kept(on, 8);
    expect(await kept(on, 9)).toBe(true);
  });

  test('needs a query', async () => {
    await using on = await stage();
    expect(await failureOf(on.client.cached(write(1)))).toBeInstanceOf(BuildError);
    expect(on.sent).toEqual([]);
  });

  for (const status of [405, 501]) {
    test(`comes by POST behind a proxy that answers QUERY with ${status}`, async () => {
      await using on = await stage({}, [{ status, body: 'no such method' }]);
      const first = await on.settled(on.client.cached(read()));
      const second = await on.settled(on.client.cached(read()));
      expect(second).toBe(first);
      await on.settled(on.client.run(write(1)));
      expect(await on.settled(on.client.cached(read()))).toEqual([{ id: 1, text: 'x' }]);
      expect(methods(on)).toEqual(['QUERY', 'POST', 'POST', 'POST', 'POST']);
    });
  }

  test('is a matter of QUERY as long as the server itself refuses', async () => {
    await using on = await stage({}, [problem(405, 'invalid', 'method_not_allowed')]);
    expect(await failureOf(on.settled(on.client.cached(read())))).toBeInstanceOf(InvalidError);
    await on.settled(on.client.cached(read()));
    expect(methods(on)).toEqual(['QUERY', 'QUERY']);
  });

  test('is asked for again as every read is', async () => {
    await using on = await stage({}, ['broken', problem(409, 'conflict', 'serializable_conflict')]);
    expect(await on.settled(on.client.cached(read()))).toEqual([]);
    expect(on.sent.length).toBe(3);
  });
});

describe('watching', () => {
  test('yields at first and then what has changed', async () => {
    await using on = await stage();
    const found: number[] = [];
    const loop = (async () => {
      for await (const rows of on.client.watch(read(), { everyMs: 100 })) {
        found.push(rows.length);
        if (rows.length === 2) break;
        // Two looks later there is another one.
        on.world.after(250, () => void on.client.run(write(rows.length + 1)));
      }
    })();
    await on.settled(loop);
    expect(found).toEqual([0, 1, 2]);
    const looks = on.sent.filter(({ method }) => method === 'QUERY');
    expect(looks.length).toBe(7);
    expect(looks[1]?.atMs).toBe(100);
    expect(on.world.waiting).toBe(0);
  });

  test('draws its pauses, a tenth more or less', async () => {
    await using on = await stage();
    on.world.chance = 0;
    const watch = on.client.watch(read());
    await on.settled(watch.next());
    const second = watch.next();
    on.world.after(950, () => void on.client.run(write(1)));
    await on.settled(second);
    expect(on.sent.filter(({ method }) => method === 'QUERY').map(({ atMs }) => atMs)).toEqual([
      0, 900, 1800,
    ]);
    await watch.return?.();
  });

  test('does not take a result for another one because it is too large to be kept', async () => {
    await using on = await stage({ cache: { entries: 0 } });
    const watch = on.client.watch(read(), { everyMs: 100 });
    expect((await on.settled(watch.next())).value).toEqual([]);
    on.world.after(350, () => void on.client.run(write(1)));
    expect((await on.settled(watch.next())).value).toEqual([{ id: 1, text: 'x' }]);
    await watch.return?.();
  });

  test('gives each look its headers and its time', async () => {
    await using on = await stage({}, ['served', 'silent']);
    const options = { headers: { 'x-app': 'a' }, timeoutMs: 70, everyMs: 10, name: 'live' };
    const watch = on.client.watch(read(), options);
    await on.settled(watch.next());
    const error = await failureOf(on.settled(watch.next()));
    expect(error).toMatchObject({ phase: 'timeout', operation: 'live' });
    expect(on.world.nowMs).toBe(80);
    expect(on.sent.map(({ headers }) => headers['x-app'])).toEqual(['a', 'a']);
  });

  test('begins anew for another token', async () => {
    let token = 'a';
    await using on = await stage({ token: () => token, cache: { entries: 0 } });
    const watch = on.client.watch(read());
    await on.settled(watch.next());
    token = 'b';
    await on.settled(watch.next());
    expect(on.sent.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined]);
    await watch.return?.();
  });

  test('ends at once when the loop is left, even while it waits', async () => {
    await using on = await stage();
    const watch = on.client.watch(read());
    await on.settled(watch.next());
    const next = watch.next();
    while (on.world.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    await watch.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(on.world.waiting).toBe(0);
  });

  test('ends at once when the loop is left, even while it looks', async () => {
    await using on = await stage({}, ['silent']);
    const watch = on.client.watch(read());
    const next = watch.next();
    while (on.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await watch.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(on.world.waiting).toBe(0);
  });

  test('ends with an error when the signal fires, and when the client is closed', async () => {
    await using on = await stage();
    const control = new AbortController();
    const watch = on.client.watch(read(), { signal: control.signal });
    const other = on.client.watch(read());
    await on.settled(Promise.all([watch.next(), other.next()]));
    const next = failureOf(watch.next());
    const last = failureOf(other.next());
    while (on.world.waiting < 2) await new Promise((resolve) => setImmediate(resolve));
    control.abort();
    expect(await next).toMatchObject({ phase: 'aborted' });
    on.client.close();
    expect(await last).toBeInstanceOf(TransportError);
    expect(on.world.waiting).toBe(0);
  });

  test('does not begin when the signal has fired already', async () => {
    await using on = await stage();
    const watch = on.client.watch(read(), { signal: AbortSignal.abort() });
    expect(await failureOf(watch.next())).toMatchObject({ phase: 'aborted', attempts: 0 });
    expect(on.sent).toEqual([]);
  });

  test('ends with the error that is not one of a moment', async () => {
    await using on = await stage({}, ['served', problem(422, 'invalid', 'unknown_column')]);
    const watch = on.client.watch(read());
    await on.settled(watch.next());
    expect(await failureOf(on.settled(watch.next()))).toBeInstanceOf(InvalidError);
    expect(on.world.waiting).toBe(0);
  });
});

describe('pages', () => {
  test('follow their cursors to the end', async () => {
    await using on = await stage();
    for (const id of [1, 2, 3, 4, 5]) await on.settled(on.client.run(write(id)));
    const first = await on.settled(on.client.page(read(), { size: 2 }));
    expect(first).toMatchObject({ next: '2', rows: [{ id: 1 }, { id: 2 }] });
    const found: number[][] = [];
    const loop = (async () => {
      for await (const rows of on.client.pages(read(), 2)) found.push(rows.map(({ id }) => id));
    })();
    await on.settled(loop);
    expect(found).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('of nothing are none', async () => {
    await using on = await stage();
    expect(await on.settled(on.client.pages(read(), 2).next())).toEqual({
      done: true,
      value: undefined,
    });
  });
});

describe('asking how', () => {
  test('explain and check run nothing', async () => {
    await using on = await stage();
    const plan = await on.settled(on.client.explain(write(1)));
    expect(plan.statements.map(({ name, text }) => `${name}: ${text.slice(0, 6)}`)).toEqual([
      expect.stringMatching(/^r: \w/),
    ]);
    expect(await on.settled(on.client.check(write(1)))).toBeUndefined();
    expect(await on.commits()).toBe(0);
    expect(on.sent.map(({ path }) => path)).toEqual([
      '/execute?show-plan=true&dry-run=true',
      '/execute?dry-run=true',
    ]);
  });

  test('check tells what the server would refuse', async () => {
    await using on = await stage();
    const program = programOf({ kind: 'query', name: 'r', relation: { nodes: {}, root: {} } });
    const query = { ...(read() as Compiled), body: program } as Runnable<unknown>;
    expect(await failureOf(on.settled(on.client.check(query)))).toBeInstanceOf(InvalidError);
  });

  test('analyze runs, and tells how', async () => {
    await using on = await stage();
    const found = await on.settled(on.client.analyze(write(1)));
    expect(found).toMatchObject({
      result: [{ id: 1, text: 'x' }],
      plan: { statements: [{ name: 'r' }] },
      refused: undefined,
    });
    expect(on.sent[0]?.headers).not.toHaveProperty('svc-diagnostics');
    expect(await on.commits()).toBe(1);
  });

  test('a level that the server refuses is reported, and the program has run once', async () => {
    await using on = await stage();
    const found = await on.settled(on.client.analyze(write(1), 'full'));
    expect(found.refused).toMatch(/maximum diagnostics level/);
    expect(found.diagnostics).toBeUndefined();
    expect(found.result).toEqual([{ id: 1, text: 'x' }]);
    expect(on.sent.map(({ headers }) => headers['svc-diagnostics'])).toEqual(['full', undefined]);
  });

  test('a level that is taken brings its document; other errors stay', async () => {
    const body = { result: [], statements: [], plan: {}, _svc: { diagnostics: { format: 'f' } } };
    await using on = await stage({}, [{ status: 200, body }]);
    const found = await on.settled(on.client.analyze(read(), 'summary'));
    expect(found.diagnostics).toEqual({ format: 'f' });
    on.script.push(problem(422, 'invalid', 'constraint_violation'));
    expect(await failureOf(on.settled(on.client.analyze(write(1), 'full')))).toBeInstanceOf(
      ConstraintError,
    );
  });
});

describe('a raw program', () => {
  test('is sent as it is, and answered as it is', async () => {
    await using on = await stage();
    const { body } = write(1) as Compiled;
    expect(await on.settled(on.client.raw(JSON.parse(body)))).toEqual({
      result: [{ id: 1, text: 'x' }],
      statements: [{ name: 'r', affected: 1, control: null }],
    });
  });

  test('is repeated only if it does nothing but read', async () => {
    await using on = await stage({}, ['broken', 'served', 'broken']);
    await on.settled(on.client.raw(JSON.parse((read() as Compiled).body)));
    const program = JSON.parse((write(1) as Compiled).body);
    expect(await failureOf(on.settled(on.client.raw(program)))).toBeInstanceOf(OutcomeUnknownError);
    expect(on.sent.length).toBe(3);
  });
});

describe('copying rows', () => {
  /** A table as it is generated, as far as `copy` uses it. */
  const table = {
    insertMany: (rows: readonly Note[]): Runnable<unknown> => {
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
            rows: rows.map(({ id, text }) => [`${id}`, text]),
          },
        },
      };
      const body = programOf({ kind: 'create', name: 'r', table: 'notes', relation });
      return { ...(write(0) as Compiled), body } as Runnable<unknown>;
    },
  };
  const many = (count: number, text = 'x') =>
    Array.from({ length: count }, (_, id): Note => ({ id, text }));

  test('takes a thousand rows at a time, from whatever can be iterated', async () => {
    await using on = await stage();
    async function* rows() {
      yield* many(2500);
    }
    expect(await on.settled(on.client.copy(table, rows()))).toBe(2500);
    expect(on.sent.length).toBe(3);
    expect(await on.commits()).toBe(2500);
  });

  test('takes fewer when they are large', async () => {
    await using on = await stage();
    expect(await on.settled(on.client.copy(table, many(10, 'ä'.repeat(200_000))))).toBe(10);
    expect(on.sent.length).toBe(2);
    for (const { body } of on.sent) expect(Buffer.byteLength(body ?? '')).toBeLessThan(4 << 20);
  });

  test('of nothing sends nothing', async () => {
    await using on = await stage();
    expect(await on.client.copy(table, [])).toBe(0);
    expect(on.sent).toEqual([]);
  });

  test('leaves what was inserted before a failure', async () => {
    await using on = await stage();
    const rows = [...many(1000), { id: 5, text: 'again' }];
    expect(await failureOf(on.settled(on.client.copy(table, rows)))).toBeInstanceOf(
      ConstraintError,
    );
    expect(await on.commits()).toBe(1000);
  });
});
