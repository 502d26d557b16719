/** What tables have in a remote place is looked at once a second, whoever asks. */

import { expect, test } from 'bun:test';
import { applyChange, emptyCatalog, type Table } from '#catalog';
import { Surveys } from '#statistics';
import { manualWorld } from '../support/manual-world.ts';

const { catalog } = applyChange(emptyCatalog, {
  kind: 'create_table',
  table: {
    name: 't',
    columns: [{ name: 'a', type: 'int64' }],
    primary_key: ['a'],
    indexes: [{ name: 'i', columns: ['a'] }],
  },
});
const [table] = catalog.tables as readonly [Table];

test('once a second, a table and each of its indexes by itself', () => {
  const world = manualWorld();
  const asked: Uint8Array[] = [];
  const place = {
    entriesIn: () => 7,
    remoteReads: ({ from }: { readonly from: Uint8Array }) => {
      asked.push(from);
      return { pieces: 9, cold: asked.length, scanWaits: 1, micros: 1_024 };
    },
  };
  const surveys = new Surveys(place, world.clock);
  const coldOf = (index?: Table['indexes'][number]) => surveys.remoteReads(table, index)?.cold;
  expect([coldOf(), coldOf(table.indexes[0]), coldOf()]).toEqual([1, 2, 1]);
  world.advance(999);
  expect(coldOf()).toBe(1);
  world.advance(1);
  expect([coldOf(), coldOf(table.indexes[0])]).toEqual([3, 4]);
  // Of rows and of entries.
  expect(new Set(asked.map((from) => Buffer.from(from).toString('hex'))).size).toBe(2);
});

test('nothing of a store that has nothing remote', () => {
  const surveys = new Surveys({ entriesIn: () => 7 }, manualWorld().clock);
  expect(surveys.remoteReads(table, undefined)).toBeUndefined();
});
