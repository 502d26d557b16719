/** Counts rows without the referenced row, for a foreign key that is added. */

import { columnsOf, type ForeignKey, type Table } from '#catalog';
import { tableLayout } from '#layout';
import { readValue } from '#storage';
import type { Scalar } from '#value';
import type { TablePair } from '../diff/pairs.ts';
import { Counter } from './counts.ts';
import { imageOf } from './image.ts';

interface Wanted {
  readonly key: Uint8Array;
  rows: number;
}

/**
 * Returns the check. `parent` is `undefined` if the migration creates the referenced table, which then has no rows. A tuple with NULL references no
 * row, and another check counts values that cannot be converted.
 */
export function missingParents(
  pair: TablePair,
  foreignKey: ForeignKey,
  parent: Table | undefined,
): Counter {
  const images = foreignKey.columns.map((id) => imageOf(pair, id));
  /** References found in rows but not looked up yet, by key. */
  let wanted = new Map<string, Wanted>();
  const counter: Counter = new Counter(
    (reader) => {
      const values: Scalar[] = [];
      for (const image of images) {
        const value = image(reader);
        if (value === undefined || value === null) return false;
        values.push(value);
      }
      if (parent === undefined) return true;
      const key = tableLayout(parent).keyOfValues(values);
      const text = Buffer.from(key).toString('latin1');
      const known = wanted.get(text);
      if (known === undefined) wanted.set(text, { key, rows: 1 });
      else known.rows++;
      return false;
    },
    (rows) => {
      const { name: table } = pair.after;
      const names = columnsOf(pair.after, foreignKey.columns).map(({ name }) => name);
      const summary = `foreign key ${foreignKey.name} on ${table} (${names.join(', ')}): ${rows} without the referenced row`;
      return { kind: 'foreign_key_missing_parent', summary, table };
    },
  );
  counter.settle = async (view) => {
    const met = [...wanted.values()];
    wanted = new Map();
    for (const { key, rows } of met) {
      if ((await readValue(view, key)) === undefined) counter.rows += rows;
    }
  };
  return counter;
}
