/** Kysely on node-postgres: queries, changes, transactions, streams, the schema builder. */

import { expect } from 'bun:test';
import { type Generated, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { database, type SqlServer, user } from '../support/serve.ts';
import { type Scenario, sqlstateOf, testScenarios } from './scenario.ts';

interface Tables {
  readonly author: {
    readonly id: Generated<number>;
    readonly name: string;
    readonly country: string | null;
  };
  readonly book: {
    readonly id: Generated<number>;
    readonly author_id: number;
    readonly title: string;
    readonly pages: number | null;
    readonly price: number | null;
    readonly published: Date | null;
  };
  readonly account: { readonly id: number; readonly owner: string; readonly balance: string };
  readonly digit: { readonly n: number };
  readonly passing: { readonly id: Generated<number>; readonly note: string | null };
}

function withKysely(use: (db: Kysely<Tables>) => Promise<void>): Scenario['run'] {
  return async (server: SqlServer) => {
    const { host, port } = server;
    const pool = new pg.Pool({ host, port, user, database, max: 2 });
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool, cursor: Cursor }) });
    try {
      await use(db);
    } finally {
      await db.destroy();
    }
  };
}

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  return await promise.then(
    () => undefined,
    (cause: unknown) => sqlstateOf(cause),
  );
}

const queries: readonly Scenario[] = [
  {
    name: 'selects, filters, sorts and limits',
    tables: ['book'],
    run: withKysely(async (db) => {
      const rows = await db
        .selectFrom('book')
        .select(['id', 'title'])
        .where((eb) => eb.or([eb('pages', '>', 100), eb('pages', 'is', null)]))
        .orderBy('title', 'desc')
        .limit(2)
        .offset(0)
        .execute();
      expect(rows).toEqual([
        { id: 3, title: 'Maps' },
        { id: 1, title: 'Engines' },
      ]);
    }),
  },
  {
    name: 'joins tables',
    tables: ['book'],
    run: withKysely(async (db) => {
      const rows = await db
        .selectFrom('author as a')
        .leftJoin('book as b', 'b.author_id', 'a.id')
        .select(['a.name', 'b.title'])
        .orderBy('a.id')
        .orderBy('b.id')
        .execute();
      expect(rows).toEqual([
        { name: 'Ada', title: 'Engines' },
        { name: 'Ada', title: 'Notes' },
        { name: 'Bea', title: 'Maps' },
        { name: 'Cyd', title: null },
      ]);
    }),
  },
  {
    name: 'groups and aggregates',
    tables: ['book'],
    run: withKysely(async (db) => {
      const rows = await db
        .selectFrom('book')
        .select(({ fn }) => [
          'author_id',
          fn.countAll<string>().as('books'),
          fn.max('price').as('dearest'),
          fn.coalesce(fn.sum<string>('pages'), sql<string>`0`).as('pages'),
        ])
        .groupBy('author_id')
        .having((eb) => eb.fn.countAll(), '>=', 1)
        .orderBy('author_id')
        .execute();
      expect(rows).toEqual([
        { author_id: 1, books: '2', dearest: 12.5, pages: '400' },
        { author_id: 2, books: '1', dearest: null, pages: '0' },
      ]);
    }),
  },
  {
    name: 'uses subqueries, EXISTS and IN',
    tables: ['book'],
    run: withKysely(async (db) => {
      const rows = await db
        .selectFrom('author as a')
        .select((eb) => [
          'a.name',
          eb
            .selectFrom('book as b')
            .whereRef('b.author_id', '=', 'a.id')
            .select(({ fn }) => fn.count<string>('b.id').as('n'))
            .as('books'),
        ])
        .where((eb) =>
          eb.exists(eb.selectFrom('book as c').whereRef('c.author_id', '=', 'a.id').select('c.id')),
        )
        .where('a.id', 'in', (eb) => eb.selectFrom('book').select('author_id'))
        .where('a.name', 'in', ['Ada', 'Bea', 'Cyd'])
        .orderBy('a.id')
        .execute();
      expect(rows).toEqual([
        { name: 'Ada', books: '2' },
        { name: 'Bea', books: '1' },
      ]);
    }),
  },
  {
    name: 'uses common table expressions and set operations',
    tables: ['book'],
    run: withKysely(async (db) => {
      const rows = await db
        .with('long', (eb) => eb.selectFrom('book').select(['title']).where('pages', '>', 100))
        .selectFrom('long')
        .select('title as text')
        .unionAll(db.selectFrom('author').select('name as text').where('country', '=', 'FR'))
        .orderBy('text')
        .execute();
      expect(rows).toEqual([{ text: 'Bea' }, { text: 'Engines' }]);
    }),
  },
  {
    name: 'selects distinct values, CASE and functions',
    tables: ['book'],
    run: withKysely(async (db) => {
      const rows = await db
        .selectFrom('book')
        .select((eb) => [
          eb.fn<string>('upper', ['title']).as('title'),
          eb.case().when('pages', '>', 100).then('long').else('short').end().as('length'),
        ])
        .distinct()
        .orderBy('title')
        .execute();
      expect(rows).toEqual([
        { title: 'ENGINES', length: 'long' },
        { title: 'MAPS', length: 'short' },
        { title: 'NOTES', length: 'short' },
      ]);
    }),
  },
  {
    name: 'selects the first row of each group by DISTINCT ON',
    tables: ['book'],
    later: 'step E, DISTINCT ON',
    run: withKysely(async (db) => {
      const rows = await db
        .selectFrom('book')
        .distinctOn('author_id')
        .select(['author_id', 'title'])
        .orderBy('author_id')
        .orderBy('title', 'desc')
        .execute();
      expect(rows).toEqual([
        { author_id: 1, title: 'Notes' },
        { author_id: 2, title: 'Maps' },
      ]);
    }),
  },
  {
    name: 'runs raw SQL',
    run: withKysely(async (db) => {
      const { rows } = await sql<{ sum: number }>`select ${1}::int + ${2}::int as sum`.execute(db);
      expect(rows).toEqual([{ sum: 3 }]);
    }),
  },
  {
    name: 'streams rows by a cursor',
    tables: ['digit'],
    run: withKysely(async (db) => {
      const seen: number[] = [];
      for await (const { n } of db.selectFrom('digit').select('n').orderBy('n').stream(150)) {
        seen.push(n);
      }
      expect(seen).toEqual(Array.from({ length: 400 }, (_, n) => n));
    }),
  },
];

const changes: readonly Scenario[] = [
  {
    name: 'inserts rows and returns them',
    tables: ['author'],
    run: withKysely(async (db) => {
      const rows = await db
        .insertInto('author')
        .values([{ name: 'Zoe', country: 'ES' }, { name: 'Abe' }])
        .returningAll()
        .execute();
      expect(rows).toEqual([
        { id: 4, name: 'Zoe', country: 'ES' },
        { id: 5, name: 'Abe', country: null },
      ]);
    }),
  },
  {
    name: 'inserts the rows of a query',
    tables: ['book'],
    run: withKysely(async (db) => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('author')
        .columns(['name'])
        .expression((eb) => eb.selectFrom('book').select('title').where('pages', 'is not', null))
        .executeTakeFirstOrThrow();
      expect(numInsertedOrUpdatedRows).toBe(2n);
    }),
  },
  {
    name: 'updates rows by expressions and returns them',
    tables: ['book'],
    run: withKysely(async (db) => {
      const rows = await db
        .updateTable('book')
        .set((eb) => ({ pages: eb('pages', '+', 1), title: sql`title || '!'` }))
        .where('id', '=', 2)
        .returning(['pages', 'title'])
        .execute();
      expect(rows).toEqual([{ pages: 81, title: 'Notes!' }]);
    }),
  },
  {
    name: 'updates from another table',
    tables: ['book'],
    run: withKysely(async (db) => {
      const { numUpdatedRows } = await db
        .updateTable('book')
        .from('author')
        .set((eb) => ({ title: eb.ref('author.name') }))
        .whereRef('author.id', '=', 'book.author_id')
        .where('author.country', '=', 'FR')
        .executeTakeFirstOrThrow();
      expect(numUpdatedRows).toBe(1n);
      const rows = await db.selectFrom('book').select('title').where('id', '=', 3).execute();
      expect(rows).toEqual([{ title: 'Bea' }]);
    }),
  },
  {
    name: 'deletes rows, also with USING',
    tables: ['book'],
    run: withKysely(async (db) => {
      const deleted = await db
        .deleteFrom('book')
        .using('author')
        .whereRef('author.id', '=', 'book.author_id')
        .where('author.name', '=', 'Ada')
        .executeTakeFirstOrThrow();
      expect(deleted.numDeletedRows).toBe(2n);
      const returned = await db.deleteFrom('book').where('id', '=', 3).returning('id').execute();
      expect(returned).toEqual([{ id: 3 }]);
    }),
  },
  {
    name: 'inserts or updates by ON CONFLICT',
    tables: ['account'],
    run: withKysely(async (db) => {
      await db
        .insertInto('account')
        .values([
          { id: 1, owner: 'Ada', balance: '7' },
          { id: 9, owner: 'Ian', balance: '8' },
        ])
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((eb) => ({
            balance: sql`${eb.ref('account.balance')} + ${eb.ref('excluded.balance')}`,
          })),
        )
        .execute();
      await db
        .insertInto('account')
        .values({ id: 9, owner: 'Zed', balance: '0' })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      const rows = await db.selectFrom('account').selectAll().orderBy('id').execute();
      expect(rows.filter(({ id }) => id === 1 || id === 9)).toEqual([
        { id: 1, owner: 'Ada', balance: '107' },
        { id: 9, owner: 'Ian', balance: '8' },
      ]);
    }),
  },
];

const transactions: readonly Scenario[] = [
  {
    name: 'commits and rolls back transactions',
    tables: ['account'],
    run: withKysely(async (db) => {
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('account').where('id', '=', 3).execute();
      });
      const failed = db.transaction().execute(async (trx) => {
        await trx.deleteFrom('account').execute();
        await sql`select 1 / 0`.execute(trx);
      });
      expect(await codeOf(failed)).toBe('22012');
      const rows = await db.selectFrom('account').select('id').orderBy('id').execute();
      expect(rows).toEqual([{ id: 1 }, { id: 2 }]);
    }),
  },
  {
    name: 'sets the isolation level and the access mode',
    tables: ['account'],
    run: withKysely(async (db) => {
      const refused = db
        .transaction()
        .setIsolationLevel('serializable')
        .setAccessMode('read only')
        .execute((trx) => trx.deleteFrom('account').execute());
      expect(await codeOf(refused)).toBe('25006');
    }),
  },
  {
    name: 'controls a transaction with savepoints',
    tables: ['account'],
    run: withKysely(async (db) => {
      const trx = await db.startTransaction().execute();
      await trx.insertInto('account').values({ id: 4, owner: 'Dan', balance: '1' }).execute();
      const inner = await trx.savepoint('one').execute();
      await inner.insertInto('account').values({ id: 5, owner: 'Eve', balance: '1' }).execute();
      const back = await inner.rollbackToSavepoint('one').execute();
      await back.releaseSavepoint('one').execute();
      await trx.commit().execute();
      const rows = await db.selectFrom('account').select('id').where('id', '>', 3).execute();
      expect(rows).toEqual([{ id: 4 }]);
    }),
  },
  {
    name: 'reports a broken constraint',
    tables: ['author'],
    run: withKysely(async (db) => {
      expect(await codeOf(db.insertInto('author').values({ name: 'Ada' }).execute())).toBe('23505');
    }),
  },
];

const schemas: readonly Scenario[] = [
  {
    name: 'creates, changes and drops a table by the schema builder',
    run: withKysely(async (db) => {
      await db.schema.dropTable('passing').ifExists().execute();
      await db.schema
        .createTable('passing')
        .ifNotExists()
        .addColumn('id', 'integer', (column) => column.generatedByDefaultAsIdentity().primaryKey())
        .addColumn('name', 'varchar(20)', (column) => column.notNull().defaultTo('none'))
        .execute();
      await db.schema.createIndex('passing_name').on('passing').column('name').execute();
      await db.schema.alterTable('passing').addColumn('note', 'text').execute();
      await db.insertInto('passing').values({ note: 'kept' }).execute();
      expect((await db.selectFrom('passing').selectAll().execute()) as unknown).toEqual([
        { id: 1, name: 'none', note: 'kept' },
      ]);
      await db.schema.dropTable('passing').execute();
    }),
  },
  {
    name: 'lists tables and columns',
    tables: ['author'],
    later: 'step C, catalogs',
    run: withKysely(async (db) => {
      const tables = await db.introspection.getTables();
      const author = tables.find(({ name }) => name === 'author');
      expect(
        author?.columns.map(({ name, dataType, isNullable }) => [name, dataType, isNullable]),
      ).toEqual([
        ['id', 'int4', false],
        ['name', 'text', false],
        ['country', 'varchar', true],
      ]);
    }),
  },
];

testScenarios('Kysely', [...queries, ...changes, ...transactions, ...schemas]);
