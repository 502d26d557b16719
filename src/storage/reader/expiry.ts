/** Objects as a reader sees them. Distinguishes an object that was deleted despite a pin from one that never existed. */

import { StorageError } from '../object/storage-fault.ts';
import type { ObjectReader, ObjectStore } from '../object/store.ts';

/**
 * Wraps `objects` so that a read of a missing object fails with `expired` if one of the pins in `held` has been deleted. The writer then
 * considers this reader dead. If all pins exist, a missing SSTable stays `missing`, which is damage.
 */
export function expiringObjects(objects: ObjectStore, held: ReadonlySet<string>): ObjectStore {
  const explain = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof StorageError) || error.fault.kind !== 'missing') return error;
    for (const pin of held) {
      const { object } = error.fault;
      if ((await objects.head(pin)) === undefined) {
        return new StorageError({ kind: 'expired', object }, error);
      }
    }
    return error;
  };
  const explained = (error: unknown) => explain(error).then((better) => Promise.reject(better));
  const guarded = (reader: ObjectReader): ObjectReader => ({
    name: reader.name,
    bytes: reader.bytes,
    remote: reader.remote,
    readInto(offset, target) {
      const read = reader.readInto(offset, target);
      return typeof read === 'number' ? read : read.catch(explained);
    },
    close: () => reader.close(),
  });
  const openRead: ObjectStore['openRead'] = async (name, bytes) => {
    try {
      return guarded(await objects.openRead(name, bytes));
    } catch (error) {
      throw await explain(error);
    }
  };
  return { ...objects, openRead };
}
