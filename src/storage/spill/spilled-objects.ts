/**
 * Temporary objects in a spill space, for a store whose own objects are remote. They have names only
 * in this process, and their files have none.
 */

import { invariant, type Pending } from '#base';
import { concatenate } from '../object/body.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectReader, ObjectStore, ObjectWriter } from '../object/store.ts';
import type { SpillFile } from './spill-file.ts';
import type { SpillSpace } from './spill-space.ts';

export type TemporaryObjects = Pick<ObjectStore, 'create' | 'put' | 'openRead' | 'delete'>;

interface SpilledObject {
  readonly file: SpillFile;
  readonly bytes: number;
}

/** Returns the objects in the space that `open` returns. Without a space, every write fails with `full`. */
export function spilledObjects(open: () => SpillSpace | undefined): TemporaryObjects {
  const objects = new Map<string, SpilledObject>();
  const create = (name: string): ObjectWriter => {
    const file = open()?.open();
    if (file === undefined)
      throw new StorageError({ kind: 'full', operation: 'write', object: name });
    return new SpilledWriter(file, (bytes) => objects.set(name, { file, bytes }));
  };
  return {
    create,
    async put(name, body) {
      const writer = create(name);
      writer.write(concatenate(body));
      await writer.finish();
    },
    openRead: (name) => readerOf(name, objects.get(name)),
    async delete(names) {
      for (const name of names) {
        objects.get(name)?.file.close();
        objects.delete(name);
      }
    },
  };
}

class SpilledWriter implements ObjectWriter {
  private readonly file: SpillFile;
  private readonly finished: (bytes: number) => void;
  private bytes = 0;

  constructor(file: SpillFile, finished: (bytes: number) => void) {
    this.file = file;
    this.finished = finished;
  }

  write(part: Uint8Array): Pending | undefined {
    this.file.append(part);
    this.bytes += part.length;
    return this.file.crowded();
  }

  async finish(): Promise<void> {
    for (let wait = this.file.settled(); wait !== undefined; wait = this.file.settled()) await wait;
    this.finished(this.bytes);
  }

  discard(): void {
    this.file.close();
  }
}

function readerOf(name: string, object: SpilledObject | undefined): ObjectReader {
  invariant(object !== undefined, 'a temporary object is read only until it is deleted');
  const { file, bytes } = object;
  return {
    name,
    bytes,
    readInto(offset, target) {
      const count = Math.max(0, Math.min(target.length, bytes - offset));
      file.read(count === target.length ? target : target.subarray(0, count), offset);
      return count;
    },
    close: () => {},
  };
}
