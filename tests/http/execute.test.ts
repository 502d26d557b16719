/** `/execute` as a client sees it: dry runs, plans, exact integers, deep expressions, conditional queries. */

import { describe, expect, test } from 'bun:test';
import { openTestDatabase } from '../support/database.ts';
import type { SchemaFile } from '../support/schema-file.ts';

const schema: SchemaFile = {
  tables: [
    {
      id: 1,
      name: 'thing',
      columns: [
        { id: 1, name: 'id', type: 'int64', pk: true },
        { id: 2, name: 'made', type: 'int64', default: 'now_ms()' },
        { id: 3, name: 'token', type: 'bytes', format: 'uuid', default: 'uuid_v7()' },
      ],
    },
    { id: 2, name: 'other', columns: [{ id: 1, name: 'id', type: 'int64', pk: true }] },
  ],
};

const open = () => openTestDatabase('schema', schema);

function create(ids: readonly (number | string)[], table = 'thing') {
  const node = {
    kind: 'rows',
    scope: 'r',
    columns: [{ name: 'id', type: 'int64' }],
    rows: ids.map((id) => [String(id)]),
  };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { statements: [{ kind: 'create', name: 'c', table, relation }] };
}

function all(table = 'thing') {
  return {
    nodes: {
      s: { kind: 'scan', table, scope: 's' },
      o: {
        kind: 'order',
        input: 's',
        terms: [{ expr: { kind: 'col', scope: 's', column: 'id' } }],
      },
      p: {
        kind: 'project',
        input: 'o',
        fields: [{ as: 'id', expr: { kind: 'col', scope: 's', column: 'id' } }],
      },
    },
    root: { node: 'p', cardinality: 'many' },
  };
}

const program = (relation: unknown) => ({ statements: [{ kind: 'query', name: 'q', relation }] });

describe('options', () => {
  test('a dry run writes nothing and answers an empty success', async () => {
    await using db = await open();
    const reply = await db.send('POST', '/execute?dry-run=true', create([1]));
    expect([reply.status, reply.json]).toEqual([200, { result: null, statements: [] }]);
    expect((await db.send('QUERY', '/execute', all())).json).toEqual([]);
  });

  test('a misspelt option is refused and does not run the program', async () => {
    await using db = await open();
    for (const [query, detail] of [
      ['dryrun=true', 'did you mean "dry-run"? (allowed: show-plan, dry-run)'],
      ['dry_run=true', 'did you mean "dry-run"?'],
      ['dry-run=false&dry-run=true', 'parameter dry-run is given twice'],
    ] as const) {
      const reply = await db.send('POST', `/execute?${query}`, create([1]));
      expect(reply.status).toBe(400);
      expect((reply.json as { detail: string }).detail).toContain(detail);
    }
    const query = await db.send('QUERY', '/execute?dry-run=true', all());
    expect(query.status).toBe(400);
    expect((await db.send('QUERY', '/execute', all())).json).toEqual([]);
  });

  test('a dry run fails like the program', async () => {
    await using db = await open();
    const dry = await db.send('POST', '/execute?dry-run=true', create([1], 'nothing'));
    const wet = await db.send('POST', '/execute', create([1], 'nothing'));
    expect(dry.json).toEqual(wet.json);
    expect(dry.status).toBe(422);
  });

  test('a plan names each relational statement', async () => {
    await using db = await open();
    const reply = await db.send('POST', '/execute?show-plan=true', program(all()));
    const { plan } = reply.json as { plan: { statements: { name: string; text: string }[] } };
    expect(plan.statements.map((statement) => statement.name)).toEqual(['q']);
    expect(plan.statements[0]?.text).toContain('scan');
  });

  test('a failing statement after planning carries the plan when it was asked for', async () => {
    await using db = await open();
    await db.send('POST', '/execute', create([1]));
    const reply = await db.send('POST', '/execute?show-plan=true', create([1]));
    expect(reply.status).toBe(422);
    expect(reply.json).toHaveProperty('plan.statements.0.name', 'c');
    expect((await db.send('POST', '/execute', create([1]))).json).not.toHaveProperty('plan');
    const none = { ...all(), root: { ...all().root, cardinality: 'exactly_one' } };
    await db.send('POST', '/execute', create([2]));
    const several = await db.send('POST', '/execute?show-plan=true', program(none));
    expect(several.json).toMatchObject({ code: 'execution_failed' });
    expect(several.json).toHaveProperty('plan.statements.0.name', 'q');
  });
});

describe('values', () => {
  test('an int64 beyond 2^53 keeps every digit from cell to answer', async () => {
    await using db = await open();
    await db.send('POST', '/execute', create(['9007199254740993', '-9223372036854775808']));
    const reply = await db.send('QUERY', '/execute', all());
    expect(reply.text).toBe('[{"id":-9223372036854775808},{"id":9007199254740993}]');
  });

  test('now_ms lies inside the request, and each row draws its own uuid', async () => {
    await using db = await open();
    const before = Date.now();
    const reply = await db.send('POST', '/execute', create([1, 2]));
    const after = Date.now();
    const { result } = reply.json as { result: { made: number; token: string }[] };
    for (const row of result) {
      expect(row.made).toBeGreaterThanOrEqual(before);
      expect(row.made).toBeLessThanOrEqual(after);
      expect(row.token).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }
    expect(result[0]?.token).not.toBe(result[1]?.token);
  });

  test('a left-folded and of 500 terms works', async () => {
    await using db = await open();
    await db.send('POST', '/execute', create([1, 1000]));
    const column = { kind: 'col', scope: 's', column: 'id' };
    const term = (bound: number) => ({
      kind: 'binary',
      op: 'ne',
      left: column,
      right: { kind: 'lit', value: { type: 'int64', value: String(bound) } },
    });
    let predicate: unknown = term(501);
    for (let i = 502; i <= 1000; i++)
      predicate = { kind: 'binary', op: 'and', left: predicate, right: term(i) };
    const query = all();
    const nodes = {
      ...query.nodes,
      f: { kind: 'filter', input: 's', predicate },
      o: { ...query.nodes.o, input: 'f' },
    };
    const reply = await db.send('QUERY', '/execute', { ...query, nodes });
    expect(reply.json).toEqual([{ id: 1 }]);
  });
});

describe('conditional queries', () => {
  test('an unchanged result is 304 with the same tag and no body', async () => {
    await using db = await open();
    await db.send('POST', '/execute', create([1]));
    const first = await db.send('QUERY', '/execute', all());
    const tag = first.headers.get('etag') as string;
    expect(tag).toMatch(/^W\/"svc-query-[A-Za-z0-9_-]+"$/);
    const second = await db.send('QUERY', '/execute', all(), {
      'if-none-match': `"other", ${tag}`,
    });
    expect([second.status, second.text, second.headers.get('etag')]).toEqual([304, '', tag]);
    expect(second.headers.get('accept-query')).toBe('"application/vnd.svc.lir+json"');
    expect((await db.send('QUERY', '/execute', all(), { 'if-none-match': '*' })).status).toBe(304);
  });

  test('a commit to a table that it reads changes the tag, one to another table does not', async () => {
    await using db = await open();
    const tagOf = async () => (await db.send('QUERY', '/execute', all())).headers.get('etag');
    const first = await tagOf();
    await db.send('POST', '/execute', create([1], 'other'));
    expect(await tagOf()).toBe(first);
    await db.send('POST', '/execute', create([1]));
    expect(await tagOf()).not.toBe(first);
  });

  test('what cannot be answered is refused precisely', async () => {
    await using db = await open();
    const send = (headers: Record<string, string>) => db.send('QUERY', '/execute', all(), headers);
    expect((await send({ accept: 'text/html' })).status).toBe(406);
    expect((await send({ accept: 'text/html, application/json;q=0' })).status).toBe(406);
    expect((await send({ accept: 'text/html, */*;q=0.1' })).status).toBe(200);
    expect((await send({ 'content-type': 'application/json' })).status).toBe(415);
    expect((await send({ 'if-none-match': 'bare' })).status).toBe(400);
    const bad = await db.send('QUERY', '/execute', { nodes: {} });
    expect([bad.status, bad.headers.get('accept-query')]).toEqual([
      400,
      '"application/vnd.svc.lir+json"',
    ]);
  });

  test('a list of tags is read as lists are, and compared weakly', async () => {
    await using db = await open();
    const tag = (await db.send('QUERY', '/execute', all())).headers.get('etag') as string;
    const strong = tag.slice(2);
    const statusOf = async (condition: string) =>
      (await db.send('QUERY', '/execute', all(), { 'if-none-match': condition })).status;
    const matching = [tag, strong, '*', `"a",${tag}`, `, ${tag}`, `"a" , , ${strong},`, ` ${tag} `];
    for (const condition of matching) expect(await statusOf(condition)).toBe(304);
    const others = ['"a"', 'W/"a", "b"', '""', `"${strong.slice(1, -2)}"`, '"a,b"', '"*"'];
    for (const condition of others) expect(await statusOf(condition)).toBe(200);
    const malformed = [
      'a',
      '"a',
      'a"',
      `w/${strong}`,
      `${tag} ${tag}`,
      `*, ${tag}`,
      `${tag}, *`,
      ',',
      '"a b"',
    ];
    for (const condition of malformed) expect(await statusOf(condition)).toBe(400);
  });

  test('every answer says what a query is, and that it is private', async () => {
    await using db = await open();
    const tag = (await db.send('QUERY', '/execute', all())).headers.get('etag') as string;
    const invalid = { ...all(), root: { node: 'gone', cardinality: 'many' } };
    const answers: readonly (readonly [number, unknown, Record<string, string>, string?])[] = [
      [200, all(), {}],
      [304, all(), { 'if-none-match': tag }],
      [400, all(), { 'if-none-match': 'bare' }],
      [400, '', {}],
      [400, '{', {}],
      [400, all(), {}, '?wrong=1'],
      [406, all(), { accept: 'text/html' }],
      [413, ' '.repeat((4 << 20) + 1), {}],
      [415, all(), { 'content-type': 'application/json' }],
      [415, all(), { 'content-encoding': 'gzip' }],
      [422, all('missing'), {}],
      [422, invalid, {}],
    ];
    for (const [status, body, headers, search = ''] of answers) {
      const reply = await db.send('QUERY', `/execute${search}`, body, headers);
      const got = ['accept-query', 'cache-control', 'vary'].map((name) => reply.headers.get(name));
      expect([reply.status, ...got]).toEqual([
        status,
        '"application/vnd.svc.lir+json"',
        'private, no-cache',
        'Accept, Authorization, Content-Encoding, Content-Type',
      ]);
      expect(reply.headers.has('etag')).toBe(status === 200 || status === 304);
      const type =
        { 200: 'application/json', 304: null }[status] ??
        (status < 400 ? null : 'application/problem+json');
      expect(reply.headers.get('content-type')).toBe(type);
    }
  });

  test('an empty Accept is none, and of JSON with parameters the quality counts', async () => {
    await using db = await open();
    const statusOf = async (accept: string) =>
      (await db.send('QUERY', '/execute', all(), { accept })).status;
    const fine = [
      '',
      '*/*',
      'application/*',
      'application/json',
      'Application/JSON;q=0.001',
      'text/html, */*',
    ];
    for (const accept of fine) expect([accept, await statusOf(accept)]).toEqual([accept, 200]);
    const unfit = ['text/*', 'application/xml', 'application/json;q=0.000, */*', '*/*;q=0'];
    for (const accept of unfit) expect([accept, await statusOf(accept)]).toEqual([accept, 406]);
  });

  test('an invalid query is never answered with 304', async () => {
    await using db = await open();
    const reply = await db.send('QUERY', '/execute', all('missing'), { 'if-none-match': '*' });
    expect(reply.status).toBe(422);
  });
});

describe('increment', () => {
  test('a program that fails gives its numbers back', async () => {
    const counted: SchemaFile = {
      tables: [
        {
          id: 1,
          name: 'ticket',
          columns: [
            { id: 1, name: 'id', type: 'int64', pk: true, default: 'increment()' },
            { id: 2, name: 'code', type: 'text', unique: true },
          ],
        },
      ],
    };
    await using db = await openTestDatabase('schema', counted);
    const add = (...codes: string[]) => {
      const columns = [{ name: 'code', type: 'text' }];
      const node = { kind: 'rows', scope: 'r', columns, rows: codes.map((code) => [code]) };
      const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
      return db.send('POST', '/execute', {
        statements: [{ kind: 'create', name: 'c', table: 'ticket', relation }],
      });
    };
    expect((await add('x', 'x')).status).toBe(422);
    expect((await add('y')).json).toHaveProperty('result', [{ id: 1, code: 'y' }]);
  });
});

describe('what fails at run time says which statement failed', () => {
  test('of a program, also one that is known by its text', async () => {
    await using db = await open();
    const [first] = create([1], 'other').statements;
    const body = {
      statements: [
        { ...first, name: 'one' },
        { ...first, name: 'again' },
      ],
      result: 'one',
    };
    for (let i = 0; i < 3; i++) {
      const { status, json } = await db.send('POST', '/execute', body);
      expect([status, json]).toEqual([
        422,
        expect.objectContaining({
          reason: 'constraint_violation',
          location: {
            pointer: '/statements/1/relation/nodes/r/rows/0',
            node: 'r',
            binding: 'again',
          },
          execution: { table: 'other' },
        }),
      ]);
    }
  });

  test('and a query, which has no statements, says none', async () => {
    await using db = await open();
    const relation = all('other');
    const { json } = await db.send('QUERY', '/execute', {
      ...relation,
      root: { ...relation.root, cardinality: 'exactly_one' },
    });
    expect(json).toMatchObject({ reason: 'cardinality_violation' });
    expect(json).not.toHaveProperty('location');
  });
});
