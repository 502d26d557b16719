/** Objects that list the readers of tables that are open. */

import type { ObjectReader, ObjectStore } from '../../src/storage/object/store.ts';

export interface OpenReaders {
  readonly objects: ObjectStore;
  /** Names of the tables that are open, in order; a table that is open twice is listed twice. */
  openTables(): readonly string[];
}

export function openReadersOf(objects: ObjectStore): OpenReaders {
  const open = new Set<ObjectReader>();
  const openRead: ObjectStore['openRead'] = async (name, bytes) => {
    const reader = await objects.openRead(name, bytes);
    if (!name.startsWith('sst/')) return reader;
    const watched: ObjectReader = {
      ...reader,
      close: () => {
        open.delete(watched);
        reader.close();
      },
    };
    open.add(watched);
    return watched;
  };
  const openTables = () => [...open].map(({ name }) => name).sort();
  return { objects: { ...objects, openRead }, openTables };
}
