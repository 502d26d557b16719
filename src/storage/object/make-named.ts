/** Creates an object in `tmp/` and gives it its name. */

import { partsOf } from './body.ts';
import type { DirectoryIo, IoFile } from './directory-io.ts';
import { ensureDirectory, inDirectory, parentOf } from './directory-tree.ts';
import { StorageError } from './storage-fault.ts';
import type { Body } from './store.ts';

/**
 * Another process empties `tmp/` only at startup, so a second attempt is rare. If a third one fails
 * too, another program removes files there.
 */
const attemptsMax = 3;

export interface Making {
  readonly name: string;
  readonly temporary: string;
  readonly body: Body;
}

/**
 * Writes an object to its temporary file and runs `give`, which gives that file its name. A
 * starting writer empties `tmp/` while a reader may be creating a pin there, so a file that
 * disappears before it has its name is written again.
 */
export async function makeNamed<T>(io: DirectoryIo, making: Making, give: () => T): Promise<T> {
  const { name, temporary } = making;
  for (let attempt = 1; ; attempt++) {
    const file = await writeTemporary(io, making);
    await ensureDirectory(io, parentOf(name));
    // If the directory was replaced meanwhile, the temporary name may lead to an incomplete file.
    if (!file.isAt(temporary) && io.sizeOf(temporary) !== undefined) throw misplaced(name);
    try {
      return await inDirectory(io, parentOf(name), give);
    } catch (error) {
      if (attempt === attemptsMax || io.sizeOf(temporary) !== undefined) throw error;
    }
  }
}

function misplaced(object: string): StorageError {
  return new StorageError({ kind: 'io', operation: 'find', object });
}

async function writeTemporary(
  io: DirectoryIo,
  { temporary, body }: Making,
): Promise<Pick<IoFile, 'isAt'>> {
  const file = io.open(temporary, 'create');
  if (file === undefined) {
    throw new StorageError({ kind: 'io', operation: 'create', object: temporary });
  }
  try {
    let position = 0;
    for (const part of partsOf(body)) {
      await file.write(part, position);
      position += part.length;
    }
    await file.sync();
    return file;
  } finally {
    file.close();
  }
}
