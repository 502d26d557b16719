/**
 * Finds the SSTables that really contain keys of dropped ranges. Their smallest and largest keys do
 * not suffice for that.
 */

import { compareBytes } from '#base';
import type { TableWithDroppedKeys } from '../compaction/pick-rewrite.ts';
import { isBefore } from '../key/range-set.ts';
import type { SsTable } from '../table/ss-table.ts';
import type { DroppedRange } from '../version/dropped-ranges.ts';
import type { OpenRun } from '../version/open-run.ts';

/**
 * Returns the SSTables with dropped keys. The search reads as little as possible, and records in
 * each range the SSTables that contain none of its keys. The caller must keep the SSTables open.
 */
export async function tablesWithDroppedKeys(
  runs: readonly OpenRun[],
  dropped: readonly DroppedRange[],
): Promise<readonly TableWithDroppedKeys[]> {
  const absent = new Map(dropped.map((range) => [range, new Set<string>()]));
  const found: TableWithDroppedKeys[] = [];
  for (const { tables } of runs) {
    for (const { table } of tables) {
      const droppedBytes = await droppedBytesOf(table, absent);
      if (droppedBytes !== undefined) found.push({ entry: table.entry, droppedBytes });
    }
  }
  for (const [range, names] of absent) range.absentFrom = names;
  return found;
}

/** Returns the number of dropped bytes; `undefined` if the SSTable contains no key of any range. */
async function droppedBytesOf(
  table: SsTable,
  absent: ReadonlyMap<DroppedRange, Set<string>>,
): Promise<number | undefined> {
  const { name, smallest, largest } = table.entry;
  let droppedBytes: number | undefined;
  for (const [range, names] of absent) {
    if (!isBefore(smallest, range.to) || compareBytes(range.from, largest) > 0) continue;
    if (range.absentFrom.has(name) || !(await table.holdsAny(range))) names.add(name);
    else droppedBytes = (droppedBytes ?? 0) + (await table.bytesWithin(range));
  }
  return droppedBytes;
}
