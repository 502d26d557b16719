/** Writes the file of an open SSTable again, under the same name. */

import { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore, ObjectWriter } from '../object/store.ts';
import type { SsTable } from '../table/ss-table.ts';

const copyBytes = 1 << 20;

/**
 * Resolves when the file is durable. Rejects if the open file is damaged, because a damaged copy
 * must not replace the SSTable.
 */
export async function restoreTable(
  table: SsTable,
  objects: ObjectStore,
  rest: () => Promise<void>,
): Promise<void> {
  const { name } = table.entry;
  const writer = objects.create?.(name);
  if (writer === undefined) {
    throw new StorageError({ kind: 'io', operation: 'write', object: name });
  }
  try {
    const [fault] = await table.check({ blocks: true, rest });
    if (fault !== undefined) throw fault;
    await copy(table, writer, rest);
    await writer.finish();
    table.reopen(await objects.openRead(name));
  } catch (error) {
    writer.discard();
    throw error;
  }
}

async function copy(
  table: SsTable,
  writer: ObjectWriter,
  rest: () => Promise<void>,
): Promise<void> {
  const { bytes } = table.entry;
  for (let at = 0; at < bytes; at += copyBytes) {
    const part = new Uint8Array(Math.min(copyBytes, bytes - at));
    await table.readFile(at, part);
    const wait = writer.write(part);
    if (wait !== undefined) await wait;
    await rest();
  }
}
