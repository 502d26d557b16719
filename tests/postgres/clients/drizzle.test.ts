/** Drizzle on node-postgres and on postgres.js: queries, changes, transactions, prepared statements, relational queries. */

import { expect } from 'bun:test';
import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNull,
  like,
  relations,
  sql,
  sum,
} from 'drizzle-orm';
import { drizzle as overNodePostgres } from 'drizzle-orm/node-postgres';
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  jsonb,
  type PgDatabase,
  type PgQueryResultHKT,
  pgTable,
  smallint,
  text,
  timestamp,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { drizzle as overPostgresJs } from 'drizzle-orm/postgres-js';
import pg from 'pg';
import postgres from 'postgres';
import { database, user } from '../support/serve.ts';
import { type Scenario, sqlstateOf, testScenarios } from './scenario.ts';

const author = pgTable('author', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  name: text().notNull().unique(),
  country: varchar({ length: 20 }),
});

const book = pgTable('book', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  authorId: integer('author_id')
    .notNull()
    .references(() => author.id),
  title: text().notNull(),
  pages: integer(),
  price: doublePrecision(),
  published: date(),
});

const account = pgTable('account', {
  id: integer().primaryKey(),
  owner: text().notNull(),
  balance: bigint({ mode: 'number' }).notNull(),
});

const sample = pgTable('sample', {
  id: integer().primaryKey(),
  b: boolean(),
  i2: smallint(),
  i8: bigint({ mode: 'bigint' }),
  f8: doublePrecision(),
  t: text(),
  u: uuid(),
  d: date(),
  ts: timestamp(),
  tz: timestamp({ withTimezone: true }),
  j: jsonb(),
});

const authorBooks = relations(author, ({ many }) => ({ books: many(book) }));
const bookAuthor = relations(book, ({ one }) => ({
  author: one(author, { fields: [book.authorId], references: [author.id] }),
}));
const schema = { author, book, account, sample, authorBooks, bookAuthor };

type Db = PgDatabase<PgQueryResultHKT, typeof schema>;
type Driver = (use: (db: Db) => Promise<void>) => Scenario['run'];

const nodePostgres: Driver =
  (use) =>
  async ({ host, port }) => {
    const pool = new pg.Pool({ host, port, user, database, max: 2 });
    try {
      await use(overNodePostgres(pool, { schema }));
    } finally {
      await pool.end();
    }
  };

const postgresJs: Driver =
  (use) =>
  async ({ host, port }) => {
    const client = postgres({ host, port, user, database, max: 2, onnotice: () => {} });
    try {
      await use(overPostgresJs(client, { schema }));
    } finally {
      await client.end({ timeout: 5 });
    }
  };

async function codeOf(promise: PromiseLike<unknown>): Promise<string | undefined> {
  return await promise.then(
    () => undefined,
    (cause: unknown) => sqlstateOf(cause),
  );
}

function scenariosWith(driver: Driver): readonly Scenario[] {
  return [
    {
      name: 'selects, filters, sorts and limits',
      tables: ['book'],
      run: driver(async (db) => {
        const rows = await db
          .select({ id: book.id, title: book.title })
          .from(book)
          .where(and(like(book.title, '%s'), gt(book.id, 0), inArray(book.id, [1, 3])))
          .orderBy(desc(book.title))
          .limit(2)
          .offset(0);
        expect(rows).toEqual([
          { id: 3, title: 'Maps' },
          { id: 1, title: 'Engines' },
        ]);
      }),
    },
    {
      name: 'joins tables',
      tables: ['book'],
      run: driver(async (db) => {
        const rows = await db
          .select()
          .from(author)
          .leftJoin(book, eq(book.authorId, author.id))
          .where(eq(author.id, 2));
        expect(rows).toEqual([
          {
            author: { id: 2, name: 'Bea', country: 'FR' },
            book: { id: 3, authorId: 2, title: 'Maps', pages: null, price: null, published: null },
          },
        ]);
      }),
    },
    {
      name: 'groups and aggregates',
      tables: ['book'],
      run: driver(async (db) => {
        const rows = await db
          .select({ author: book.authorId, books: count(), pages: sum(book.pages) })
          .from(book)
          .groupBy(book.authorId)
          .having(({ books }) => gt(books, 1))
          .orderBy(asc(book.authorId));
        expect(rows).toEqual([{ author: 1, books: 2, pages: '400' }]);
        expect(await db.$count(book, isNull(book.pages))).toBe(1);
      }),
    },
    {
      name: 'uses subqueries and common table expressions',
      tables: ['book'],
      run: driver(async (db) => {
        const long = db.$with('long').as(db.select().from(book).where(gt(book.pages, 100)));
        const rows = await db
          .with(long)
          .select({ title: long.title, author: author.name })
          .from(long)
          .innerJoin(author, eq(author.id, long.authorId));
        expect(rows).toEqual([{ title: 'Engines', author: 'Ada' }]);
      }),
    },
    {
      name: 'inserts rows and returns them',
      tables: ['book'],
      run: driver(async (db) => {
        const rows = await db
          .insert(author)
          .values([{ name: 'Zoe', country: 'ES' }, { name: 'Abe' }])
          .returning();
        expect(rows).toEqual([
          { id: 4, name: 'Zoe', country: 'ES' },
          { id: 5, name: 'Abe', country: null },
        ]);
        const [dated] = await db
          .insert(book)
          .values({ authorId: 4, title: 'Days', price: 0.1, published: '2024-02-29' })
          .returning({ price: book.price, published: book.published });
        expect(dated).toEqual({ price: 0.1, published: '2024-02-29' });
      }),
    },
    {
      name: 'inserts or updates by ON CONFLICT',
      tables: ['author'],
      run: driver(async (db) => {
        await db
          .insert(author)
          .values([
            { name: 'Ada', country: 'IT' },
            { name: 'Fay', country: 'PT' },
          ])
          .onConflictDoUpdate({ target: author.name, set: { country: sql`excluded.country` } });
        await db.insert(author).values({ name: 'Ada' }).onConflictDoNothing();
        const rows = await db
          .select({ name: author.name, country: author.country })
          .from(author)
          .where(inArray(author.name, ['Ada', 'Fay']))
          .orderBy(author.name);
        expect(rows).toEqual([
          { name: 'Ada', country: 'IT' },
          { name: 'Fay', country: 'PT' },
        ]);
      }),
    },
    {
      name: 'updates and deletes',
      tables: ['account'],
      run: driver(async (db) => {
        const updated = await db
          .update(account)
          .set({ balance: sql`${account.balance} + 1` })
          .where(gt(account.balance, 50))
          .returning();
        expect(updated).toEqual([{ id: 1, owner: 'Ada', balance: 101 }]);
        const deleted = await db.delete(account).where(eq(account.id, 2)).returning();
        expect(deleted).toEqual([{ id: 2, owner: 'Bea', balance: 50 }]);
      }),
    },
    {
      name: 'writes and reads values of every type',
      tables: ['sample'],
      run: driver(async (db) => {
        const row = {
          id: 3,
          b: false,
          i2: 7,
          i8: 9007199254740993n,
          f8: -1e-7,
          t: `it's "quoted"\n`,
          u: '00000000-0000-0000-0000-000000000001',
          d: '1969-12-31',
          ts: new Date('2031-05-06T07:08:09.010Z'),
          tz: new Date('2031-05-06T07:08:09.010Z'),
          j: { nested: { empty: {} } },
        };
        expect(await db.insert(sample).values(row).returning()).toEqual([row]);
        expect(await db.select().from(sample).where(eq(sample.id, 3))).toEqual([row]);
      }),
    },
    {
      name: 'commits and rolls back transactions, with savepoints',
      tables: ['account'],
      run: driver(async (db) => {
        await db.transaction(async (tx) => {
          await tx.delete(account).where(eq(account.id, 3));
          const inner = tx.transaction(async (deeper) => {
            await deeper.delete(account);
            deeper.rollback();
          });
          await inner.catch(() => {});
        });
        const failed = db.transaction(
          async (tx) => {
            await tx.delete(account);
            await tx.execute(sql`select 1 / 0`);
          },
          { isolationLevel: 'serializable' },
        );
        expect(await codeOf(failed)).toBe('22012');
        expect(await db.select({ id: account.id }).from(account).orderBy(account.id)).toEqual([
          { id: 1 },
          { id: 2 },
        ]);
      }),
    },
    {
      name: 'repeats a prepared statement with placeholders',
      tables: ['book'],
      run: driver(async (db) => {
        const find = db
          .select({ title: book.title })
          .from(book)
          .where(eq(book.id, sql.placeholder('id')))
          .prepare('find_book');
        expect(await find.execute({ id: 1 })).toEqual([{ title: 'Engines' }]);
        expect(await find.execute({ id: 3 })).toEqual([{ title: 'Maps' }]);
      }),
    },
    {
      name: 'reports a broken constraint',
      tables: ['author'],
      run: driver(async (db) => {
        expect(await codeOf(db.insert(author).values({ name: 'Ada' }))).toBe('23505');
      }),
    },
    {
      name: 'reads related rows',
      tables: ['book'],
      later: 'step E, relational queries',
      run: driver(async (db) => {
        const rows = await db.query.author.findMany({
          columns: { name: true },
          with: { books: { columns: { title: true }, orderBy: [asc(book.id)] } },
          orderBy: [asc(author.id)],
        });
        expect(rows).toEqual([
          { name: 'Ada', books: [{ title: 'Engines' }, { title: 'Notes' }] },
          { name: 'Bea', books: [{ title: 'Maps' }] },
          { name: 'Cyd', books: [] },
        ]);
      }),
    },
    {
      name: 'reads a related row',
      tables: ['book'],
      later: 'step E, relational queries',
      run: driver(async (db) => {
        const row = await db.query.book.findFirst({
          columns: { title: true },
          where: eq(book.id, 3),
          with: { author: { columns: { name: true } } },
        });
        expect(row).toEqual({ title: 'Maps', author: { name: 'Bea' } });
      }),
    },
  ];
}

testScenarios('Drizzle', [
  ...scenariosWith(nodePostgres).map((one) => ({ ...one, name: `${one.name}, node-postgres` })),
  ...scenariosWith(postgresJs).map((one) => ({ ...one, name: `${one.name}, postgres.js` })),
]);
