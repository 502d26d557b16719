/** postgres.js (`postgres`): types, arrays, transactions with savepoints, cursors, errors. It reads `pg_type` at its first connection. */

import { expect } from 'bun:test';
import postgres, { type Sql } from 'postgres';
import { database, type SqlServer, user } from '../support/serve.ts';
import { type Scenario, testScenarios } from './scenario.ts';
import { endless } from './tables.ts';

type Options = postgres.Options<Record<string, postgres.PostgresType>>;

/** Opens a pool of two connections, and closes it however the scenario ends. */
function withSql(
  use: (sql: Sql, server: SqlServer) => Promise<void>,
  options: Options = {},
): Scenario['run'] {
  return async (server) => {
    const { host, port } = server;
    const sql = postgres({
      host,
      port,
      user,
      database,
      max: 2,
      onnotice: () => {},
      ...options,
    }) as unknown as Sql;
    try {
      await use(sql, server);
    } finally {
      await sql.end({ timeout: 5 });
    }
  };
}

async function errorOf(promise: PromiseLike<unknown>): Promise<postgres.PostgresError> {
  const cause = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(cause instanceof postgres.PostgresError)) throw cause ?? new Error('no error');
  return cause;
}

async function codeOf(promise: PromiseLike<unknown>): Promise<string> {
  return (await errorOf(promise)).code;
}

/** Rows without the members that postgres.js adds to an array of rows. */
function plain<Row>(rows: Iterable<Row>): Row[] {
  return [...rows];
}

const connecting: readonly Scenario[] = [
  {
    name: 'connects by a connection string and reads the array types',
    run: async ({ url }) => {
      const sql = postgres(url);
      const rows = await sql`select ${[1, 2]}::int[] as list, array['a', 'b'] as texts`;
      expect(plain(rows)).toEqual([{ list: [1, 2], texts: ['a', 'b'] }]);
      await sql.end();
    },
  },
  {
    name: 'sets settings at the start',
    run: withSql(
      async (sql) => {
        expect(plain(await sql`show application_name`)).toEqual([{ application_name: 'shop' }]);
        expect(plain(await sql`show search_path`)).toEqual([{ search_path: 'public' }]);
      },
      { connection: { application_name: 'shop', search_path: 'public' } },
    ),
  },
  {
    name: 'reads parameters of the server',
    run: withSql(async (sql) => {
      await sql`select 1`;
      expect(sql.parameters).toMatchObject({
        client_encoding: 'UTF8',
        integer_datetimes: 'on',
        standard_conforming_strings: 'on',
      });
      expect(sql.parameters['server_version']).toStartWith('15');
    }),
  },
  {
    name: 'reserves a connection',
    run: withSql(async (sql) => {
      const reserved = await sql.reserve();
      await reserved`set application_name = 'mine'`;
      expect(plain(await reserved`show application_name`)).toEqual([{ application_name: 'mine' }]);
      reserved.release();
    }),
  },
];

const types: readonly Scenario[] = [
  {
    name: 'reads values of every type',
    tables: ['sample'],
    run: withSql(async (sql) => {
      const [full, empty] = await sql`select * from sample order by id`;
      expect(full as unknown).toEqual({
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
      expect(Object.values(empty ?? {})).toEqual([2, ...Array(13).fill(null)]);
    }),
  },
  {
    name: 'writes values of every type',
    tables: ['sample'],
    run: withSql(async (sql) => {
      const row = {
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
        ts: new Date('2031-05-06T07:08:09.010Z'),
        tz: new Date('2031-05-06T07:08:09.010Z'),
        j: sql.json({ nested: { empty: {} } }),
      };
      const [written] = await sql`insert into sample ${sql(row)} returning *`;
      expect(written as unknown).toEqual({ ...row, j: { nested: { empty: {} } } });
    }),
  },
  {
    name: 'reads bigint values as BigInt',
    tables: ['sample'],
    run: withSql(
      async (sql) => {
        const [row] = await sql`select i8 from sample where i8 = ${9223372036854775807n as never}`;
        expect(row?.['i8']).toBe(9223372036854775807n);
      },
      { types: { bigint: postgres.BigInt } },
    ),
  },
  {
    name: 'passes arrays as parameters',
    tables: ['book'],
    run: withSql(async (sql) => {
      const rows = await sql`select title from book where id = any(${[1, 3]}) order by id`;
      expect(plain(rows)).toEqual([{ title: 'Engines' }, { title: 'Maps' }]);
      const titles = ['Maps', 'a,b', '"', '{}'];
      expect(plain(await sql`select id from book where title = any(${titles})`)).toEqual([
        { id: 3 },
      ]);
      const typed = sql.array([2], 1007);
      expect(plain(await sql`select title from book where id = any(${typed})`)).toEqual([
        { title: 'Notes' },
      ]);
    }),
  },
  {
    name: 'passes lists by IN',
    tables: ['book'],
    run: withSql(async (sql) => {
      const rows = await sql`select title from book where id in ${sql([1, 3])} order by id`;
      expect(plain(rows)).toEqual([{ title: 'Engines' }, { title: 'Maps' }]);
    }),
  },
  {
    name: 'describes a statement',
    tables: ['author'],
    run: withSql(async (sql) => {
      const described =
        await sql`select id, name from author where id = ${1} and country like ${'U%'}`.describe();
      expect(described.types).toEqual([23, 25]);
      expect(described.columns.map(({ name, type }) => [name, type])).toEqual([
        ['id', 23],
        ['name', 25],
      ]);
    }),
  },
  {
    name: 'gives parameters the type of their context',
    tables: ['book'],
    run: withSql(async (sql) => {
      expect(plain(await sql`select id from book where price > ${4.5}`)).toEqual([{ id: 1 }]);
      expect(
        plain(await sql`select id from book where published < ${new Date('2020-06-01')}`),
      ).toEqual([{ id: 1 }]);
      expect(plain(await sql`select ${'text'} as t, ${null} as nothing`)).toEqual([
        { t: 'text', nothing: null },
      ]);
      expect(plain(await sql`select id from book order by id limit ${1} offset ${2}`)).toEqual([
        { id: 3 },
      ]);
    }),
  },
  {
    name: 'returns rows as arrays and as bytes',
    tables: ['author'],
    run: withSql(async (sql) => {
      expect(
        plain(await sql`select id, name from author where id < 3 order by id`.values()),
      ).toEqual([
        [1, 'Ada'],
        [2, 'Bea'],
      ] as never);
      const [raw] = await sql`select name from author where id = 1`.raw();
      expect(raw as unknown).toEqual([Buffer.from('Ada')]);
    }),
  },
];

const statements: readonly Scenario[] = [
  {
    name: 'inserts several objects and returns their ids in order',
    tables: ['author'],
    run: withSql(async (sql) => {
      const authors = [
        { name: 'Zoe', country: 'ES' },
        { name: 'Abe', country: null },
        { name: 'Max', country: 'AT' },
      ];
      const result = await sql`insert into author ${sql(authors)} returning id, name`;
      expect(plain(result)).toEqual([
        { id: 4, name: 'Zoe' },
        { id: 5, name: 'Abe' },
        { id: 6, name: 'Max' },
      ]);
      expect([result.command, result.count]).toEqual(['INSERT', 3]);
    }),
  },
  {
    name: 'updates chosen columns of an object',
    tables: ['author'],
    run: withSql(async (sql) => {
      const changes = { name: 'Ada L.', country: 'IT' };
      const result =
        await sql`update author set ${sql(changes, 'name', 'country')} where id = ${1}`;
      expect([result.command, result.count]).toEqual(['UPDATE', 1]);
      expect(plain(await sql`select name, country from author where id = 1`)).toEqual([changes]);
    }),
  },
  {
    name: 'joins a list of values',
    tables: ['author'],
    run: withSql(async (sql) => {
      const renamed = [
        ['1', 'Ann'],
        ['3', 'Cat'],
      ];
      const rows = await sql`
        update author set name = v.name from (values ${sql(renamed)}) as v (id, name)
        where author.id = v.id::int returning author.id, author.name`;
      expect(plain(rows).sort((a, b) => a['id'] - b['id'])).toEqual([
        { id: 1, name: 'Ann' },
        { id: 3, name: 'Cat' },
      ]);
    }),
  },
  {
    name: 'deletes, and counts',
    tables: ['author'],
    run: withSql(async (sql) => {
      const result = await sql`delete from author where country is null returning name`;
      expect([result.count, plain(result)]).toEqual([1, [{ name: 'Cyd' }]]);
    }),
  },
  {
    name: 'inserts or updates by ON CONFLICT',
    tables: ['author'],
    run: withSql(async (sql) => {
      const rows = [
        { name: 'Ada', country: 'IT' },
        { name: 'Fay', country: 'PT' },
      ];
      await sql`insert into author ${sql(rows)} on conflict (name) do update set country = excluded.country`;
      expect(plain(await sql`select name, country from author order by name`)).toEqual([
        { name: 'Ada', country: 'IT' },
        { name: 'Bea', country: 'FR' },
        { name: 'Cyd', country: null },
        { name: 'Fay', country: 'PT' },
      ]);
    }),
  },
  {
    name: 'builds statements of fragments and identifiers',
    tables: ['book'],
    run: withSql(async (sql) => {
      const find = (title?: string) => sql`
        select ${sql('title')} from ${sql('book')}
        where ${title === undefined ? sql`true` : sql`title = ${title}`} order by ${sql('book.id')}`;
      expect(plain(await find('Maps'))).toEqual([{ title: 'Maps' }]);
      expect((await find()).count).toBe(3);
    }),
  },
  {
    name: 'runs unsafe texts with parameters, and several statements',
    tables: ['account'],
    run: withSql(async (sql) => {
      expect(plain<unknown>(await sql.unsafe('select $1::int + $2::int as sum', [1, 2]))).toEqual([
        { sum: 3 },
      ]);
      const results = await sql.unsafe(
        'update account set balance = balance + 1; select balance from account where id = 3',
      );
      expect((results as unknown as postgres.RowList<postgres.Row[]>[])[1]?.[0]).toEqual({
        balance: '1',
      });
    }),
  },
  {
    name: 'works without prepared statements',
    tables: ['book'],
    run: withSql(
      async (sql) => {
        for (const id of [1, 2, 9]) {
          expect((await sql`select title from book where id = ${id}`).count).toBe(id === 9 ? 0 : 1);
        }
      },
      { prepare: false },
    ),
  },
  {
    name: 'repeats a prepared statement',
    tables: ['book'],
    run: withSql(
      async (sql) => {
        const titles: unknown[] = [];
        for (const id of [1, 2, 3, 1]) {
          const [row] = await sql`select title from book where id = ${id}`;
          titles.push(row?.['title']);
        }
        expect(titles).toEqual(['Engines', 'Notes', 'Maps', 'Engines']);
      },
      { max: 1 },
    ),
  },
  {
    name: 'pipelines queries on one connection',
    run: withSql(
      async (sql) => {
        const rows = await Promise.all(
          Array.from({ length: 200 }, (_, n) => sql`select ${n}::int as n`),
        );
        expect(rows.map(([row]) => row?.['n'])).toEqual(Array.from({ length: 200 }, (_, n) => n));
      },
      { max: 1 },
    ),
  },
  {
    name: 'answers the other queries of a pipeline after an error',
    run: withSql(
      async (sql) => {
        const queries = Array.from({ length: 20 }, (_, n) =>
          sql`select 100 / ${n % 5}::int as n`.then(
            ([row]) => row?.['n'],
            (cause: postgres.PostgresError) => cause.code,
          ),
        );
        expect(await Promise.all(queries)).toEqual(
          Array.from({ length: 20 }, (_, n) => (n % 5 === 0 ? '22012' : Math.trunc(100 / (n % 5)))),
        );
      },
      { max: 1 },
    ),
  },
  {
    name: 'converts names of columns',
    tables: ['book'],
    run: withSql(
      async (sql) => {
        expect(plain(await sql`select author_id from book where id = 3`)).toEqual([
          { authorId: 2 },
        ]);
        await sql`update book set ${sql({ authorId: 3 } as never)} where id = 3`;
        expect((await sql`select 1 from book where author_id = 3`).count).toBe(1);
      },
      { transform: postgres.camel },
    ),
  },
];

const cursors: readonly Scenario[] = [
  {
    name: 'reads a cursor in portions',
    tables: ['digit'],
    run: withSql(async (sql) => {
      const portions: number[] = [];
      for await (const rows of sql`select n from digit order by n`.cursor(150)) {
        portions.push(rows.length);
      }
      expect(portions).toEqual([150, 150, 100]);
    }),
  },
  {
    name: 'ends a cursor early',
    tables: ['digit'],
    run: withSql(
      async (sql) => {
        let seen = 0;
        await sql`select n from digit order by n`.cursor(10, (rows) => {
          seen += rows.length;
          return seen >= 20 ? sql.CLOSE : undefined;
        });
        expect(seen).toBe(20);
        expect(plain(await sql`select 1 as n`)).toEqual([{ n: 1 }]);
      },
      { max: 1 },
    ),
  },
  {
    name: 'passes rows on one by one',
    tables: ['digit'],
    run: withSql(async (sql) => {
      let sum = 0;
      await sql`select n from digit`.forEach((row) => {
        sum += row['n'];
      });
      expect(sum).toBe(79_800);
    }),
  },
];

const transactions: readonly Scenario[] = [
  {
    name: 'commits a transaction',
    tables: ['account'],
    run: withSql(async (sql) => {
      const left = await sql.begin(async (tx) => {
        await tx`update account set balance = balance - 30 where id = 1`;
        await tx`update account set balance = balance + 30 where id = 2`;
        const [row] = await tx`select balance from account where id = 1`;
        return row?.['balance'];
      });
      expect(left).toBe('70');
      expect(plain(await sql`select balance from account where id = 2`)).toEqual([
        { balance: '80' },
      ]);
    }),
  },
  {
    name: 'rolls a transaction back after an error of the server or of the caller',
    tables: ['account'],
    run: withSql(async (sql) => {
      const failing = sql.begin(async (tx) => {
        await tx`delete from account`;
        await tx`select 1 / 0`;
      });
      expect(await codeOf(failing)).toBe('22012');
      const thrown = sql.begin(async (tx) => {
        await tx`delete from account`;
        throw new Error('changed my mind');
      });
      const cause = await thrown.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(String(cause)).toBe('Error: changed my mind');
      expect((await sql`select * from account`).count).toBe(3);
    }),
  },
  {
    name: 'rolls back to a savepoint',
    tables: ['account'],
    run: withSql(async (sql) => {
      await sql.begin(async (tx) => {
        await tx`insert into account values (4, 'Dan', 1)`;
        const failed = tx.savepoint(async (inner) => {
          await inner`insert into account values (5, 'Eve', 1)`;
          await inner`insert into account values (4, 'Dan', 1)`;
        });
        expect(await codeOf(failed)).toBe('23505');
        await tx.savepoint('named', async (inner) => {
          await inner`insert into account values (6, 'Fay', 1)`;
        });
      });
      expect(plain(await sql`select id from account where id > 3 order by id`)).toEqual([
        { id: 4 },
        { id: 6 },
      ]);
    }),
  },
  {
    name: 'nests savepoints',
    tables: ['account'],
    run: withSql(async (sql) => {
      await sql.begin(async (tx) => {
        await tx.savepoint(async (one) => {
          await one`update account set balance = 1 where id = 1`;
          await one
            .savepoint(async (two) => {
              await two`update account set balance = 2 where id = 1`;
              throw new Error('undo');
            })
            .catch(() => {});
          await one`update account set balance = balance + 10 where id = 1`;
        });
      });
      expect(plain(await sql`select balance from account where id = 1`)).toEqual([
        { balance: '11' },
      ]);
    }),
  },
  {
    name: 'pipelines the statements of a transaction',
    tables: ['account'],
    run: withSql(async (sql) => {
      const results = await sql.begin((tx) => [
        tx`update account set balance = balance + 5 where id = 3`,
        tx`select balance from account where id = 3`,
      ]);
      expect(plain(results[1] ?? [])).toEqual([{ balance: '5' }]);
    }),
  },
  {
    name: 'refuses writes in a read-only transaction',
    tables: ['account'],
    run: withSql(async (sql) => {
      const refused = sql.begin('read only', async (tx) => {
        await tx`delete from account`;
      });
      expect(await codeOf(refused)).toBe('25006');
    }),
  },
];

const errors: readonly Scenario[] = [
  {
    name: 'reports the position of an error',
    tables: ['author'],
    run: withSql(async (sql) => {
      expect(await errorOf(sql`select nme from author where id = ${1}`)).toMatchObject({
        code: '42703',
        position: '8',
        severity: 'ERROR',
      });
      expect(await errorOf(sql`selct 1`)).toMatchObject({ code: '42601', position: '1' });
      expect(await errorOf(sql`select * from nowhere`)).toMatchObject({
        code: '42P01',
        message: 'relation "nowhere" does not exist',
      });
    }),
  },
  {
    name: 'reports broken constraints with table, column and name',
    tables: ['book'],
    run: withSql(async (sql) => {
      expect(await errorOf(sql`insert into author ${sql({ name: 'Ada' })}`)).toMatchObject({
        code: '23505',
        schema_name: 'public',
        table_name: 'author',
        constraint_name: 'author_name_key',
      });
      expect(
        await errorOf(sql`insert into book (author_id, title) values (1, ${null})`),
      ).toMatchObject({ code: '23502', table_name: 'book', column_name: 'title' });
      expect(
        await errorOf(sql`insert into book (author_id, title) values (${77}, 'x')`),
      ).toMatchObject({ code: '23503', constraint_name: 'book_author_id_fkey' });
    }),
  },
  {
    name: 'reports values that do not fit',
    tables: ['sample'],
    run: withSql(async (sql) => {
      expect(await codeOf(sql`select id from sample where id = ${'one' as never}`)).toBe('22P02');
      expect(await codeOf(sql`select ${'2147483648'}::int`)).toBe('22003');
      expect(await codeOf(sql`update sample set v = ${'eleven char'}`)).toBe('22001');
    }),
  },
  {
    name: 'cancels a query',
    tables: ['digit'],
    run: withSql(async (sql) => {
      const query = sql.unsafe(endless) as postgres.PendingQuery<never> & { state?: unknown };
      const code = codeOf(query);
      let ended = false;
      void code.then(() => {
        ended = true;
      });
      const watch = await sql.reserve();
      // A request before the query is sent cancels nothing at the server, and one that arrives too early is lost.
      while (!ended) {
        if (query.state != null) query.cancel();
        await watch`select 1`;
      }
      watch.release();
      expect(await code).toBe('57014');
      expect(plain(await sql`select 1 as n`)).toEqual([{ n: 1 }]);
    }),
  },
  {
    name: 'ends a statement after its timeout',
    tables: ['digit'],
    run: withSql(
      async (sql) => {
        expect(await codeOf(sql.unsafe(endless))).toBe('57014');
      },
      { connection: { statement_timeout: 50 } },
    ),
  },
];

const laterOnes: readonly Scenario[] = [
  {
    name: 'copies rows in and out',
    tables: ['account'],
    later: 'step D, COPY',
    run: withSql(async (sql) => {
      const input = await sql`copy account from stdin`.writable();
      input.write('4\tDan\t1\n');
      input.end('5\tEve\t2\n');
      await new Promise((resolve, reject) => input.on('finish', resolve).on('error', reject));
      const output =
        await sql`copy (select id, owner from account where id > 3 order by id) to stdout`.readable();
      let text = '';
      for await (const chunk of output) text += chunk;
      expect(text).toBe('4\tDan\n5\tEve\n');
    }),
  },
  {
    name: 'reads the rows of an array by unnest',
    run: withSql(async (sql) => {
      const rows = await sql`select n * 2 as n from unnest(${[1, 2]}::int[]) as t (n)`;
      expect(plain(rows)).toEqual([{ n: 2 }, { n: 4 }]);
    }),
  },
];

testScenarios('postgres.js', [
  ...connecting,
  ...types,
  ...statements,
  ...cursors,
  ...transactions,
  ...errors,
  ...laterOnes,
]);
