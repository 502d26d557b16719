/** Determines which SSTables a failed compaction could not read. */

import { DatabaseError } from '#failure';
import type { TableEntry } from '../manifest/manifest.ts';
import { StorageError } from '../object/storage-fault.ts';

/**
 * Returns the names of the inputs that could not be read; an empty list if the failure does not
 * concern single objects.
 */
export function tablesToBlame(error: unknown, inputs: readonly TableEntry[]): readonly string[] {
  const objects = new Set<string>();
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof StorageError) {
      const { fault } = at;
      const isOfObject =
        fault.kind === 'corrupt' ||
        fault.kind === 'missing' ||
        fault.kind === 'format' ||
        fault.kind === 'io';
      if (isOfObject) objects.add(fault.object);
    } else if (!(at instanceof DatabaseError) && at !== error) break;
  }
  return inputs.map(({ name }) => name).filter((name) => objects.has(name));
}
