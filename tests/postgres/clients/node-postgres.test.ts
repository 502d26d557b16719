/** node-postgres (`pg`): pool, types both ways, prepared statements, transactions, errors, cancel. */

import { expect } from 'bun:test';
import { createConnection } from 'node:net';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { database, type SqlServer, user } from '../support/serve.ts';
import { type Scenario, testScenarios } from './scenario.ts';
import { endless } from './tables.ts';

type Use = (client: pg.Client, server: SqlServer) => Promise<void>;

/** Connects, and disconnects however the scenario ends. */
function withClient(use: Use, config: pg.ClientConfig = {}): Scenario['run'] {
  return async (server) => {
    const client = await connect(server, config);
    try {
      await use(client, server);
    } finally {
      await client.end();
    }
  };
}

async function connect({ host, port }: SqlServer, config: pg.ClientConfig = {}) {
  const client = new pg.Client({ host, port, user, database, ...config });
  await client.connect();
  return client;
}

/** Returns the error that the server sent. */
async function errorOf(promise: Promise<unknown>): Promise<pg.DatabaseError> {
  const cause = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(cause instanceof pg.DatabaseError)) throw cause ?? new Error('no error');
  return cause;
}

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  return (await errorOf(promise)).code;
}

const connecting: readonly Scenario[] = [
  {
    name: 'connects by a connection string',
    run: async ({ url }) => {
      const client = new pg.Client(url);
      await client.connect();
      const { rows, rowCount, command } = await client.query('SELECT 1 AS one');
      await client.end();
      expect({ rows, rowCount, command }).toEqual({
        rows: [{ one: 1 }],
        rowCount: 1,
        command: 'SELECT',
      });
    },
  },
  {
    name: 'sets settings at the start',
    run: withClient(
      async (client) => {
        expect((await client.query('show application_name')).rows).toEqual([
          { application_name: 'shop' },
        ]);
        expect((await client.query('show statement_timeout')).rows).toEqual([
          { statement_timeout: '5s' },
        ]);
        expect((await client.query('show timezone')).rows).toEqual([{ TimeZone: 'Europe/Paris' }]);
      },
      { application_name: 'shop', options: '-c statement_timeout=5000 -c timezone=Europe/Paris' },
    ),
  },
  {
    name: 'a pool runs more queries than it has connections',
    run: async ({ host, port }) => {
      const pool = new pg.Pool({ host, port, user, database, max: 3 });
      try {
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, n) => pool.query('select $1::int * 2 as twice', [n])),
        );
        expect(results.map(({ rows }) => rows[0].twice)).toEqual(
          Array.from({ length: 20 }, (_, n) => n * 2),
        );
        expect(pool.totalCount).toBe(3);
      } finally {
        await pool.end();
      }
    },
  },
  {
    name: 'a connection of a pool serves again after an error',
    run: async ({ host, port }) => {
      const pool = new pg.Pool({ host, port, user, database, max: 1 });
      try {
        expect(await codeOf(pool.query('select 1 / 0'))).toBe('22012');
        expect((await pool.query('select 2 as n')).rows).toEqual([{ n: 2 }]);
      } finally {
        await pool.end();
      }
    },
  },
  {
    name: 'finds the schema, and unlocks what no session has locked',
    run: withClient(async (client) => {
      const { rows } = await client.query(
        'select current_schema() as one, current_schemas(true) as all',
      );
      expect(rows).toEqual([{ one: 'public', all: '{pg_catalog,public}' }]);
      expect((await client.query('select pg_advisory_unlock_all() as done')).rows).toEqual([
        { done: '' },
      ]);
    }),
  },
  {
    name: 'resets a session by DISCARD ALL',
    run: withClient(async (client) => {
      await client.query("set application_name = 'changed'");
      await client.query({ name: 'kept', text: 'select 1' });
      await client.query('discard all');
      const { rows } = await client.query('show application_name');
      expect(rows).toEqual([{ application_name: '' }]);
    }),
  },
];

const types: readonly Scenario[] = [
  {
    name: 'reads values of every type',
    tables: ['sample'],
    run: withClient(async (client) => {
      const { rows } = await client.query('select * from sample order by id');
      expect(rows[0]).toEqual({
        id: 1,
        b: true,
        i2: -32768,
        i4: 2147483647,
        i8: '9223372036854775807',
        f8: 0.1,
        t: 'Grüße',
        v: 'ten chars.',
        y: Buffer.from([0, 255]),
        u: '0190aabb-ccdd-7eef-8123-456789abcdef',
        d: new Date('2024-02-29T00:00:00Z'),
        ts: new Date('2024-02-29T12:34:56.789Z'),
        tz: new Date('2024-02-29T10:34:56.789Z'),
        j: { a: [1, null] },
      });
      expect(Object.values(rows[1])).toEqual([2, ...Array(13).fill(null)]);
    }),
  },
  {
    name: 'describes columns by the numbers of their types',
    tables: ['sample'],
    run: withClient(async (client) => {
      const { fields } = await client.query('select * from sample where false');
      expect(fields.map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual([
        ['id', 23],
        ['b', 16],
        ['i2', 21],
        ['i4', 23],
        ['i8', 20],
        ['f8', 701],
        ['t', 25],
        ['v', 1043],
        ['y', 17],
        ['u', 2950],
        ['d', 1082],
        ['ts', 1114],
        ['tz', 1184],
        ['j', 3802],
      ]);
      expect(fields[7]?.dataTypeModifier).toBe(14);
    }),
  },
  {
    name: 'writes values of every type',
    tables: ['sample'],
    run: withClient(async (client) => {
      const instant = new Date('2031-05-06T07:08:09.010Z');
      const values = [
        3,
        false,
        7,
        -8,
        9007199254740993n,
        -1e-7,
        `it's "quoted"\n`,
        '',
        Buffer.from([1, 0, 254]),
        '00000000-0000-0000-0000-000000000001',
        '1969-12-31',
        instant,
        instant,
        { nested: { empty: {} } },
      ];
      const marks = values.map((_, n) => `$${n + 1}`).join(', ');
      const { rows } = await client.query(
        `insert into sample values (${marks}) returning *`,
        values,
      );
      expect(rows[0]).toEqual({
        id: 3,
        b: false,
        i2: 7,
        i4: -8,
        i8: '9007199254740993',
        f8: -1e-7,
        t: `it's "quoted"\n`,
        v: '',
        y: Buffer.from([1, 0, 254]),
        u: '00000000-0000-0000-0000-000000000001',
        d: new Date('1969-12-31T00:00:00Z'),
        ts: instant,
        tz: instant,
        j: { nested: { empty: {} } },
      });
    }),
  },
  {
    name: 'reads rows as arrays, with equal column names',
    run: withClient(async (client) => {
      const { rows, fields } = await client.query({
        text: "select 1 as n, 'a' as n, true as n",
        rowMode: 'array',
      });
      expect(rows).toEqual([[1, 'a', true]]);
      expect(fields.map(({ name }) => name)).toEqual(['n', 'n', 'n']);
    }),
  },
  {
    name: 'gives parameters the type of their context',
    tables: ['book'],
    run: withClient(async (client) => {
      const one = async (text: string, values: unknown[]) =>
        (await client.query({ text, values, rowMode: 'array' })).rows;
      expect(await one('select title from book where id = $1', ['2'])).toEqual([['Notes']]);
      expect(await one('select title from book order by id limit $1 offset $2', [1, 1])).toEqual([
        ['Notes'],
      ]);
      expect(await one('select title from book where title like $1', ['%ap%'])).toEqual([['Maps']]);
      expect(await one('select pages + $1 from book where id = 1', [5])).toEqual([[325]]);
      expect(await one('select coalesce(price, $1) from book where id = 3', [9.5])).toEqual([
        [9.5],
      ]);
      expect(await one('select id from book where published > $1', [new Date(0)])).toEqual([
        [1],
        [2],
      ]);
      expect(await one('select $1::text || $2', ['a', 'b'])).toEqual([['ab']]);
    }),
  },
  {
    name: 'compares with the elements of an array',
    tables: ['book'],
    run: withClient(async (client) => {
      const ids = await client.query('select title from book where id = any($1) order by id', [
        [1, 3],
      ]);
      expect(ids.rows).toEqual([{ title: 'Engines' }, { title: 'Maps' }]);
      const titles = await client.query('select id from book where title = any($1::text[])', [
        ['Maps', 'a,b', '"', null],
      ]);
      expect(titles.rows).toEqual([{ id: 3 }]);
      const others = await client.query('select id from book where id <> all($1) order by id', [
        [2],
      ]);
      expect(others.rows).toEqual([{ id: 1 }, { id: 3 }]);
    }),
  },
  {
    name: 'converts the elements of arrays',
    run: withClient(async (client) => {
      const text =
        "select array[1, 2]::int8[] as wide, $1::int2[]::int[] as narrow, '{a,NULL}'::text[] as texts";
      const { rows } = await client.query(text, [[3, null]]);
      expect(rows).toEqual([{ wide: ['1', '2'], narrow: [3, null], texts: ['a', null] }]);
    }),
  },
  {
    name: 'returns no rows of an empty result, but its columns',
    run: withClient(async (client) => {
      const { rows, fields, rowCount } = await client.query('select 1 as a, null as b where false');
      expect({ rows, rowCount }).toEqual({ rows: [], rowCount: 0 });
      expect(fields.map(({ name }) => name)).toEqual(['a', 'b']);
    }),
  },
  {
    name: 'carries a megabyte both ways',
    run: withClient(async (client) => {
      const long = 'ö0123456789abcde'.repeat(65_536);
      const { rows } = await client.query('select $1::text as long', [long]);
      expect(rows[0].long === long).toBe(true);
    }),
  },
];

const statements: readonly Scenario[] = [
  {
    name: 'counts changed rows',
    tables: ['author', 'book'],
    run: withClient(async (client) => {
      const run = async (text: string) => {
        const { command, rowCount } = await client.query(text);
        return [command, rowCount];
      };
      expect(await run("insert into author (name) values ('Dan'), ('Eve')")).toEqual(['INSERT', 2]);
      expect(await run("update author set country = 'DE' where country is null")).toEqual([
        'UPDATE',
        3,
      ]);
      expect(await run('delete from author where id > 3')).toEqual(['DELETE', 2]);
      expect(await run('select * from author')).toEqual(['SELECT', 3]);
      expect(await run('delete from book where id > 100')).toEqual(['DELETE', 0]);
    }),
  },
  {
    name: 'returns rows of changes',
    tables: ['author'],
    run: withClient(async (client) => {
      const text =
        'insert into author (name, country) values ($1, $2), ($3, $4) returning id, name';
      const { rows } = await client.query(text, ['Zoe', 'ES', 'Abe', null]);
      expect(rows).toEqual([
        { id: 4, name: 'Zoe' },
        { id: 5, name: 'Abe' },
      ]);
      const updated = await client.query(
        "update author set name = name || '!' where id = $1 returning *",
        [4],
      );
      expect(updated.rows).toEqual([{ id: 4, name: 'Zoe!', country: 'ES' }]);
      const deleted = await client.query('delete from author where id = 5 returning name as gone');
      expect(deleted.rows).toEqual([{ gone: 'Abe' }]);
    }),
  },
  {
    name: 'inserts or updates by ON CONFLICT',
    tables: ['author'],
    run: withClient(async (client) => {
      const upsert =
        'insert into author (name, country) values ($1, $2) on conflict (name) do update set country = excluded.country returning id, country';
      expect((await client.query(upsert, ['Ada', 'IT'])).rows).toEqual([{ id: 1, country: 'IT' }]);
      expect((await client.query(upsert, ['Fay', 'PT'])).rows).toMatchObject([{ country: 'PT' }]);
      const ignored = await client.query(
        "insert into author (name) values ('Ada') on conflict do nothing",
      );
      expect(ignored.rowCount).toBe(0);
    }),
  },
  {
    name: 'runs several statements of one text',
    tables: ['account'],
    run: withClient(async (client) => {
      const results = (await client.query(
        'update account set balance = balance + 1; select sum(balance)::int8 as total from account;',
      )) as unknown as pg.QueryResult[];
      expect(results.map(({ command, rowCount }) => [command, rowCount])).toEqual([
        ['UPDATE', 3],
        ['SELECT', 1],
      ]);
      expect(results[1]?.rows).toEqual([{ total: '153' }]);
    }),
  },
  {
    name: 'rolls back all statements of one text after an error',
    tables: ['account'],
    run: withClient(async (client) => {
      expect(await codeOf(client.query('delete from account; select 1 / 0'))).toBe('22012');
      expect((await client.query('select count(*) as n from account')).rows).toEqual([{ n: '3' }]);
    }),
  },
  {
    name: 'accepts an empty text',
    run: withClient(async (client) => {
      expect((await client.query('')).rows).toEqual([]);
      expect((await client.query(' ; -- nothing')).rows).toEqual([]);
    }),
  },
  {
    name: 'repeats a named prepared statement',
    tables: ['book'],
    run: withClient(async (client) => {
      const find = async (id: number) =>
        (
          await client.query({
            name: 'find',
            text: 'select title from book where id = $1',
            values: [id],
          })
        ).rows;
      expect(await find(1)).toEqual([{ title: 'Engines' }]);
      expect(await find(2)).toEqual([{ title: 'Notes' }]);
      expect(await find(9)).toEqual([]);
      await client.query("update book set title = 'Log' where id = 2");
      expect(await find(2)).toEqual([{ title: 'Log' }]);
    }),
  },
  {
    name: 'keeps a prepared statement after an error of its values',
    tables: ['book'],
    run: withClient(async (client) => {
      const find = (id: string) =>
        client.query({ name: 'find', text: 'select title from book where id = $1', values: [id] });
      expect((await find('1')).rows).toEqual([{ title: 'Engines' }]);
      expect(await codeOf(find('one'))).toBe('22P02');
      expect((await find('3')).rows).toEqual([{ title: 'Maps' }]);
    }),
  },
  {
    name: 'answers queries in the order in which they were queued',
    run: withClient(async (client) => {
      const queries = Array.from({ length: 100 }, (_, n) =>
        n % 10 === 9
          ? codeOf(client.query('select 1 / $1::int', [0]))
          : client.query('select $1::int as n', [n]).then(({ rows }) => rows[0].n),
      );
      expect(await Promise.all(queries)).toEqual(
        Array.from({ length: 100 }, (_, n) => (n % 10 === 9 ? '22012' : n)),
      );
    }),
  },
  {
    name: 'joins, groups and sorts',
    tables: ['author', 'book'],
    run: withClient(async (client) => {
      const { rows } = await client.query(
        'select a.name, count(b.id)::int as books, max(b.price) as dearest from author a left join book b on b.author_id = a.id ' +
          'group by a.id, a.name having count(b.id) < $1 order by books desc, a.name',
        [5],
      );
      expect(rows).toEqual([
        { name: 'Ada', books: 2, dearest: 12.5 },
        { name: 'Bea', books: 1, dearest: null },
        { name: 'Cyd', books: 0, dearest: null },
      ]);
    }),
  },
];

const cursors: readonly Scenario[] = [
  {
    name: 'reads a cursor in portions',
    tables: ['digit'],
    run: withClient(async (client) => {
      const cursor = client.query(new Cursor<{ n: number }>('select n from digit order by n'));
      const portions: number[][] = [];
      for (;;) {
        const rows = await cursor.read(150);
        if (rows.length === 0) break;
        portions.push(rows.map(({ n }) => n));
      }
      expect(portions.map((portion) => portion.length)).toEqual([150, 150, 100]);
      expect(portions.flat()).toEqual(Array.from({ length: 400 }, (_, n) => n));
    }),
  },
  {
    name: 'closes a cursor before its end',
    tables: ['digit'],
    run: withClient(async (client) => {
      const cursor = client.query(
        new Cursor('select n from digit where n >= $1 order by n', [10], { rowMode: 'array' }),
      );
      expect(await cursor.read(2)).toEqual([[10], [11]] as never);
      await cursor.close();
      expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    }),
  },
  {
    name: 'reports the error of a cursor',
    run: withClient(async (client) => {
      const cursor = client.query(new Cursor('select * from nowhere'));
      expect(await codeOf(cursor.read(1))).toBe('42P01');
      expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    }),
  },
  {
    name: 'reads a cursor of SQL in a transaction',
    tables: ['digit'],
    run: withClient(async (client) => {
      await client.query('begin');
      await client.query('declare c cursor for select n from digit order by n');
      expect((await client.query('fetch 2 from c')).rows).toEqual([{ n: 0 }, { n: 1 }]);
      await client.query('move 100 from c');
      expect((await client.query('fetch next from c')).rows).toEqual([{ n: 102 }]);
      expect((await client.query('fetch all from c')).rowCount).toBe(297);
      await client.query('close c');
      expect(await codeOf(client.query('fetch 1 from c'))).toBe('34000');
      await client.query('rollback');
    }),
  },
  {
    name: 'a cursor does not see later changes of its transaction',
    tables: ['account'],
    run: withClient(async (client) => {
      await client.query('begin');
      await client.query('declare c cursor for select id, balance from account order by id');
      expect((await client.query('fetch 1 from c')).rows).toEqual([{ id: 1, balance: '100' }]);
      await client.query('update account set balance = 7');
      expect((await client.query('fetch all from c')).rows).toEqual([
        { id: 2, balance: '50' },
        { id: 3, balance: '0' },
      ]);
      await client.query('commit');
    }),
  },
];

const transactions: readonly Scenario[] = [
  {
    name: 'commits a transaction',
    tables: ['account'],
    run: withClient(async (client, server) => {
      const other = await connect(server);
      await client.query('begin');
      await client.query('update account set balance = balance - $1 where id = $2', [30, 1]);
      await client.query('update account set balance = balance + $1 where id = $2', [30, 2]);
      const balances = 'select balance from account order by id';
      expect((await other.query(balances)).rows[0]).toEqual({ balance: '100' });
      expect((await client.query('commit')).command).toBe('COMMIT');
      expect((await other.query(balances)).rows.slice(0, 2)).toEqual([
        { balance: '70' },
        { balance: '80' },
      ]);
      await other.end();
    }),
  },
  {
    name: 'rolls a transaction back',
    tables: ['account'],
    run: withClient(async (client) => {
      await client.query('begin');
      await client.query('delete from account');
      expect((await client.query('select * from account')).rows).toEqual([]);
      await client.query('rollback');
      expect((await client.query('select * from account')).rowCount).toBe(3);
    }),
  },
  {
    name: 'ends a failed transaction by ROLLBACK only',
    tables: ['account'],
    run: withClient(async (client) => {
      await client.query('begin');
      await client.query('delete from account');
      expect(await codeOf(client.query('select nothing'))).toBe('42703');
      expect(await codeOf(client.query('select 1'))).toBe('25P02');
      expect((await client.query('commit')).command).toBe('ROLLBACK');
      expect((await client.query('select * from account')).rowCount).toBe(3);
    }),
  },
  {
    name: 'rolls back to a savepoint',
    tables: ['account'],
    run: withClient(async (client) => {
      await client.query('begin');
      await client.query("insert into account values (4, 'Dan', 1)");
      await client.query('savepoint one');
      await client.query("insert into account values (5, 'Eve', 2)");
      expect(await codeOf(client.query("insert into account values (5, 'Eve', 2)"))).toBe('23505');
      await client.query('rollback to savepoint one');
      await client.query("insert into account values (6, 'Fay', 3)");
      await client.query('release savepoint one');
      await client.query('commit');
      const { rows } = await client.query('select id from account where id > 3 order by id');
      expect(rows).toEqual([{ id: 4 }, { id: 6 }]);
    }),
  },
  {
    name: 'refuses writes in a read-only transaction',
    tables: ['account'],
    run: withClient(async (client) => {
      await client.query('begin read only');
      expect((await client.query('select id from account where id = 1')).rowCount).toBe(1);
      expect(await codeOf(client.query('delete from account'))).toBe('25006');
      await client.query('rollback');
    }),
  },
  {
    name: 'fails one of two serializable transactions that would skew',
    tables: ['account'],
    run: withClient(async (client, server) => {
      const other = await connect(server);
      for (const each of [client, other]) {
        await each.query('begin isolation level serializable');
        await each.query('select sum(balance)::int8 from account');
      }
      const write = async (each: pg.Client, id: number) => {
        await each.query('update account set balance = balance - 100 where id = $1', [id]);
        await each.query('commit');
      };
      await write(client, 1);
      expect(await codeOf(write(other, 2))).toBe('40001');
      await other.query('rollback');
      await other.end();
    }),
  },
  {
    name: 'gives a transaction one time',
    run: withClient(async (client) => {
      await client.query('begin');
      const first = await client.query('select now() as at');
      const second = await client.query('select now() as at, current_timestamp = now() as same');
      expect(second.rows).toEqual([{ at: first.rows[0].at, same: true }]);
      await client.query('commit');
    }),
  },
  {
    name: 'creates a table in a transaction that is rolled back',
    run: withClient(async (client) => {
      await client.query('begin');
      await client.query('create table passing (id int primary key)');
      await client.query('insert into passing values (1)');
      expect((await client.query('select * from passing')).rows).toEqual([{ id: 1 }]);
      await client.query('rollback');
      expect(await codeOf(client.query('select * from passing'))).toBe('42P01');
    }),
  },
];

const errors: readonly Scenario[] = [
  {
    name: 'reports the position of a syntax error',
    run: withClient(async (client) => {
      const error = await errorOf(client.query("select 'ö', * form author"));
      expect(error).toMatchObject({ code: '42601', position: '15', severity: 'ERROR' });
      expect(error.message).toBe('syntax error at or near "form"');
    }),
  },
  {
    name: 'reports unknown names with their positions',
    tables: ['author'],
    run: withClient(async (client) => {
      const cases = [
        ['select * from nowhere', '42P01', '15'],
        ['select nme from author', '42703', '8'],
        ['select b.name from author a', '42P01', '8'],
        ["select missing_function('a')", '42883', '8'],
        ['select name from author where name = 1', '42883', '36'],
      ] as const;
      for (const [text, code, position] of cases) {
        expect(await errorOf(client.query(text))).toMatchObject({ code, position });
      }
    }),
  },
  {
    name: 'reports broken constraints with table, column and name',
    tables: ['author', 'book'],
    run: withClient(async (client) => {
      const unique = await errorOf(client.query("insert into author (name) values ('Ada')"));
      expect(unique).toMatchObject({
        code: '23505',
        schema: 'public',
        table: 'author',
        constraint: 'author_name_key',
      });
      const missing = await errorOf(client.query('insert into author (name) values ($1)', [null]));
      expect(missing).toMatchObject({ code: '23502', table: 'author', column: 'name' });
      const foreign = await errorOf(
        client.query("insert into book (author_id, title) values (99, 'x')"),
      );
      expect(foreign).toMatchObject({
        code: '23503',
        table: 'book',
        constraint: 'book_author_id_fkey',
      });
      expect(await codeOf(client.query('delete from author where id = 1'))).toBe('23503');
    }),
  },
  {
    name: 'reports values that do not fit',
    tables: ['sample'],
    run: withClient(async (client) => {
      const cases = [
        ['select 1 / 0', [], '22012'],
        ["select 'x'::int", [], '22P02'],
        ['select 2147483647 + 1', [], '22003'],
        ['select $1::smallint', ['70000'], '22003'],
        ['insert into sample (id, v) values (5, $1)', ['eleven char'], '22001'],
        ['insert into sample (id, u) values (5, $1)', ['no uuid'], '22P02'],
        ['insert into sample (id, d) values (5, $1)', ['2023-02-29'], '22008'],
        ['insert into sample (id, j) values (5, $1)', ['{'], '22P02'],
        ['select id from sample where t = $1', ['a\0b'], '22021'],
        ['select (select id from sample)', [], '21000'],
      ] as const;
      for (const [text, values, code] of cases) {
        expect([text, await codeOf(client.query(text, [...values]))]).toEqual([text, code]);
      }
    }),
  },
  {
    name: 'reports a wrong number of parameters',
    run: withClient(async (client) => {
      expect(await codeOf(client.query('select $1::int, $2::int', [1]))).toBe('08P01');
      expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    }),
  },
  {
    name: 'cancels a query from another connection',
    tables: ['digit'],
    run: withClient(async (client, server) => {
      let ended = false;
      const running = codeOf(client.query(endless)).finally(() => {
        ended = true;
      });
      while (!ended) await sendCancel(server, client);
      expect(await running).toBe('57014');
      expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    }),
  },
  {
    name: 'ends a statement after its timeout',
    tables: ['digit'],
    run: withClient(async (client) => {
      await client.query('set statement_timeout = 50');
      expect(await codeOf(client.query(endless))).toBe('57014');
      await client.query('reset statement_timeout');
      expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    }),
  },
];

/** Sends the request that ends the query of the client, and waits until the server has read it. */
function sendCancel({ host, port }: SqlServer, client: pg.Client): Promise<void> {
  const { processID, secretKey } = client as unknown as Record<'processID' | 'secretKey', number>;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = createConnection({ host, port }, () => {
    const request = Buffer.alloc(16);
    for (const [n, value] of [16, 80_877_102, processID, secretKey].entries()) {
      request.writeInt32BE(value, n * 4);
    }
    socket.write(request);
  });
  socket.on('close', () => resolve());
  socket.on('end', () => socket.end());
  socket.on('error', reject);
  return promise;
}

const catalogs: readonly Scenario[] = [
  {
    name: 'lists the columns of a table',
    tables: ['author'],
    run: withClient(async (client) => {
      const { rows } = await client.query(
        'select a.attname, t.typname, a.attnotnull from pg_attribute a join pg_class c on c.oid = a.attrelid ' +
          "join pg_type t on t.oid = a.atttypid where c.relname = 'author' and a.attnum > 0 order by a.attnum",
      );
      expect(rows).toEqual([
        { attname: 'id', typname: 'int4', attnotnull: true },
        { attname: 'name', typname: 'text', attnotnull: true },
        { attname: 'country', typname: 'varchar', attnotnull: false },
      ]);
    }),
    later: 'step C, catalogs',
  },
  {
    name: 'matches a regular expression',
    tables: ['book'],
    run: withClient(async (client) => {
      const { rows } = await client.query('select title from book where title ~ $1 order by id', [
        '^[EM]',
      ]);
      expect(rows).toEqual([{ title: 'Engines' }, { title: 'Maps' }]);
    }),
    later: 'step C, regular expressions',
  },
];

testScenarios('node-postgres', [
  ...connecting,
  ...types,
  ...statements,
  ...cursors,
  ...transactions,
  ...errors,
  ...catalogs,
]);
