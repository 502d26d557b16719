/**
 * How many rows a value of a key has: seen by going from value to value, each time past all entries of the one before, and by how many entries
 * the store counts on the way. A bounded number of values from both ends of the key; of a small key all of them.
 */

import { afterPrefix, invariant } from '#base';
import { type Index, type Table, tupleFrom } from '#catalog';
import { encodeInterval, indexLayout, tableLayout } from '#layout';
import type { Direction, KeyRange, ReadView } from '#storage';
import { skipKeyMembers } from '#value';
import type { Entries } from './counted.ts';

/** Values that are looked at from each end. */
const valuesMax = 64;

/** Rows of a value of the first column, of the first two, and so on: for each column of the key. NULL in the first one is no value. */
export async function rowsOfValues(
  view: ReadView,
  entries: Entries,
  table: Table,
  index: Index | undefined,
): Promise<readonly number[]> {
  const layout = index === undefined ? tableLayout(table) : indexLayout(table, index);
  const columns = index?.columns ?? table.primaryKey;
  const nulls = encodeInterval(layout, [null], undefined, undefined);
  const { from, to } = layout.range;
  invariant(to !== undefined, 'a table and an index end somewhere');
  const range = { from: nulls?.to ?? from, to };
  const found: number[] = [];
  for (let members = 1; members <= columns.length; members++) {
    const first = await walk(view, range, members, 'forward');
    // The end that was reached from the start needs no second walk.
    const last = first.isAll ? undefined : await walk(view, range, members, 'backward');
    const seen = entries.entriesIn({ from: range.from, to: first.at });
    const more = last === undefined ? 0 : entries.entriesIn({ from: last.at, to: range.to });
    found.push(Math.max(1, (seen + more) / Math.max(1, first.values + (last?.values ?? 0))));
  }
  return found;
}

interface Walk {
  readonly values: number;
  /** Behind the last value, or at its start when walking backward. */
  readonly at: Uint8Array;
  readonly isAll: boolean;
}

async function walk(
  view: ReadView,
  range: { readonly from: Uint8Array; readonly to: Uint8Array },
  members: number,
  direction: Direction,
): Promise<Walk> {
  let { from, to } = range;
  for (let values = 0; ; values++) {
    const at = direction === 'forward' ? from : to;
    if (values === valuesMax) return { values, at, isAll: false };
    const prefix = await prefixOfNext(view, { from, to }, members, direction);
    if (prefix === undefined) {
      return { values, at: direction === 'forward' ? range.to : range.from, isAll: true };
    }
    if (direction === 'forward') from = afterPrefix(prefix) as Uint8Array;
    else to = prefix;
  }
}

/** The first members of the next key; undefined when there is none. */
async function prefixOfNext(
  view: ReadView,
  range: KeyRange,
  members: number,
  direction: Direction,
): Promise<Uint8Array | undefined> {
  const cursor = view.scan(range, direction);
  try {
    for (;;) {
      const step = cursor.next();
      if (step === false) return undefined;
      if (step !== true) {
        await step;
        continue;
      }
      const { key, keyFrom } = cursor;
      return key.slice(keyFrom, skipKeyMembers(key, keyFrom + tupleFrom, members));
    }
  } finally {
    cursor.close();
  }
}
