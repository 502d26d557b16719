/** Entity tags of generated queries, while the schema below them changes: one tag of one query stands for one result. */

import { expect, test } from 'bun:test';
import type { Query } from '#lir';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { Choices } from './choices.ts';
import { queryOf } from './query.ts';
import { generateSchema, type Schema } from './schema.ts';
import { seedPrograms } from './seed-rows.ts';

const scenarios = 12;
const queriesEach = 6;
const changesEach = 10;

interface Seen {
  same: number;
  changed: number;
}

test('whatever happens to the schema, a tag stands for one result', async () => {
  const random = seededRandom(5);
  const seen: Seen = { same: 0, changed: 0 };
  for (let scenario = 0; scenario < scenarios; scenario++) await play(numbers(random), seen);
  // Both must happen often, or nothing was tried.
  expect(seen.same).toBeGreaterThan(150);
  expect(seen.changed).toBeGreaterThan(15);
});

const numbers = (random: () => number) => () =>
  Array.from({ length: 400 }, () => Math.floor(random() * 2 ** 31));

async function play(draw: () => readonly number[], seen: Seen): Promise<void> {
  const schema = generateSchema(new Choices(draw()));
  await using db = await openTestDatabase();
  for (const change of schema.changes) await db.engine.changeCatalog(() => change);
  for (const program of seedPrograms(new Choices(draw()), schema)) {
    await db.send('POST', '/execute', program);
  }
  const queries = Array.from(
    { length: queriesEach },
    () => queryOf(new Choices(draw()), schema, new Map()).query,
  ).filter(isDetermined);
  const results = new Map<string, string>();
  const tags = new Map<Query, string>();
  for (let round = 0; round <= changesEach; round++) {
    for (const query of queries) {
      const { status, headers, json } = await db.send('QUERY', '/execute', query);
      if (status !== 200) continue;
      const tag = headers.get('etag') as string;
      const key = `${JSON.stringify(query)} ${tag}`;
      const result = bagOf(json);
      expect([key, results.get(key) ?? result]).toEqual([key, result]);
      results.set(key, result);
      const before = tags.get(query);
      if (before !== undefined) seen[before === tag ? 'same' : 'changed']++;
      tags.set(query, tag);
    }
    await change(db, schema, new Choices(draw()));
  }
}

/** A limit without an order may take any rows, and so may `first`. */
function isDetermined({ nodes, root }: Query): boolean {
  if (root.cardinality === 'first' && root.unordered === true) return false;
  return Object.values(nodes).every(
    (node) => node.kind !== 'slice' || nodes[node.input]?.kind === 'order',
  );
}

/** Members in their order, elements of arrays in any: rows that compare equal may change places. */
function bagOf(json: unknown): string {
  return JSON.stringify(json, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (!Array.isArray(value)) return value;
    return value.map((element) => bagOf(element)).toSorted();
  });
}

/** Many of these are refused. */
async function change(db: TestDatabase, schema: Schema, choices: Choices): Promise<void> {
  const { name, columns } = choices.pick(schema.tables);
  const names = [...columns.map((column) => column.name), 'spare'];
  const [one, other] = [choices.pick(names), choices.pick(names)];
  const column = `/tables/${name}/columns/${one}`;
  switch (choices.below(7)) {
    case 0: {
      const index = { name: `x${choices.below(3)}`, columns: [one], unique: choices.oneIn(3) };
      return void (await db.send('POST', `/tables/${name}/indexes`, index));
    }
    case 1:
      return void (await db.send('DELETE', `/tables/${name}/indexes/x${choices.below(3)}`));
    case 2:
      return void (await db.send('DELETE', column));
    case 3: {
      const added = { name: one, type: choices.pick(['int64', 'text'] as const), nullable: true };
      return void (await db.send('POST', `/tables/${name}/columns`, added));
    }
    case 4:
      return void (await db.send('PATCH', column, { name: other }));
    case 5:
      return exchange(db, '/tables', name, choices.pick(schema.tables).name);
    default:
      return exchange(db, `/tables/${name}/columns`, one, other);
  }
}

async function exchange(db: TestDatabase, path: string, one: string, other: string) {
  await db.send('PATCH', `${path}/${one}`, { name: 'between' });
  await db.send('PATCH', `${path}/${other}`, { name: one });
  await db.send('PATCH', `${path}/between`, { name: other });
}
