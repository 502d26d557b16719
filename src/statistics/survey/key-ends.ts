/** The smallest and the largest value of a column that is the first in a key. They are in the first and last entry of the primary key or index. */

import { type Column, columnById, type Table, tupleFrom } from '#catalog';
import { indexLayout, tableLayout } from '#layout';
import type { Direction, KeyRange, ReadView } from '#storage';
import { decodeKeyMember, nullTag, type Scalar } from '#value';

interface KeyEnds {
  readonly column: Column;
  readonly minimum: NonNullable<Scalar>;
  readonly maximum: NonNullable<Scalar>;
}

/** Returns the ends of each column that is the first in a key and has values. Reads two entries per key. */
export async function keyEndsOf(table: Table, view: ReadView): Promise<readonly KeyEnds[]> {
  const ranges = new Map<number | undefined, KeyRange>();
  for (const index of table.indexes) ranges.set(index.columns[0], indexLayout(table, index).range);
  ranges.set(table.primaryKey[0], tableLayout(table).range);
  const ends: KeyEnds[] = [];
  for (const [id, range] of ranges) {
    const column = id === undefined ? undefined : columnById(table, id);
    if (column === undefined) continue;
    const values = behindNulls(range);
    const minimum = await firstMember(view, values, 'forward', column);
    const maximum = await firstMember(view, values, 'backward', column);
    if (minimum !== null && maximum !== null) ends.push({ column, minimum, maximum });
  }
  return ends;
}

/** Returns the part of the range after all NULLs, which sort before every value. */
function behindNulls({ from, to }: KeyRange): KeyRange {
  const values = new Uint8Array(from.length + 1);
  values.set(from);
  values[from.length] = nullTag + 1;
  return { from: values, to };
}

/** Returns the first key member of the first entry; NULL if the range is empty. */
async function firstMember(
  view: ReadView,
  range: KeyRange,
  direction: Direction,
  { type, identifierFormat }: Column,
): Promise<Scalar> {
  const cursor = view.scan(range, direction);
  try {
    for (;;) {
      const next = cursor.next();
      if (next === false) return null;
      if (next === true) break;
      await view.until(next);
    }
    return decodeKeyMember(cursor.key, cursor.keyFrom + tupleFrom, type, identifierFormat);
  } finally {
    cursor.close();
  }
}
