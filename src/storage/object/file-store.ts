/**
 * Objects as files of one directory tree.
 *
 * An object is written to `tmp/` and synced. Then `rename` or `link` gives it its name, and the
 * directory of the name is synced. An object is therefore visible under its name only when it is
 * complete, and reported writes survive a power failure.
 */

import type { Random } from '#base';
import type { DirectoryIo, IoFile } from './directory-io.ts';
import { parentOf, temporaryDirectory } from './directory-tree.ts';
import { FileWriter } from './file-writer.ts';
import { type Making, makeNamed } from './make-named.ts';
import { backingRead } from './read-evidence.ts';
import { StorageError, storageError } from './storage-fault.ts';
import type { Body, ConditionalOutcome, ObjectHead, ObjectReader, ObjectStore } from './store.ts';

/** Returns the store in a tree, which `prepareTree` must have prepared. */
export function fileStore(io: DirectoryIo, random: Random): ObjectStore {
  return {
    get: async (name) => readAll(io, name),
    getRange: async (name, offset, length) => readRange(io, name, offset, length),
    head: (name) => head(io, name),
    put: (name, body) => put(io, name, body, temporaryName(random)),
    create: (name) => new FileWriter({ io, name, temporary: temporaryName(random) }),
    putIfAbsent: (name, body) => putIfAbsent(io, name, body, temporaryName(random)),
    list: async (prefix, after = '') => list(io, prefix, after),
    delete: (names) => deleteAll(io, names),
    openRead: (name) => openRead(io, name),
  };
}

async function put(io: DirectoryIo, name: string, body: Body, temporary: string): Promise<void> {
  try {
    await makeNamed(io, { name, temporary, body }, () => io.rename(temporary, name));
    await io.syncDirectory(parentOf(name));
  } catch (error) {
    discard(io, temporary);
    throw storageError('write', name, error);
  }
}

async function putIfAbsent(
  io: DirectoryIo,
  name: string,
  body: Body,
  temporary: string,
): Promise<ConditionalOutcome> {
  const making = { name, temporary, body };
  const isMade = head(io, name) === undefined && (await link(io, making));
  try {
    // After a conflict the directory is synced as well: a caller that acts on the existing object
    // must find it again after a power failure.
    await io.syncDirectory(parentOf(name));
    return isMade ? 'committed' : 'conflict';
  } catch {
    return 'unknown';
  } finally {
    discard(io, temporary);
  }
}

/** Returns false if an object has the name by now. */
async function link(io: DirectoryIo, making: Making): Promise<boolean> {
  const { name, temporary } = making;
  try {
    return await makeNamed(io, making, () => io.link(temporary, name));
  } catch (error) {
    discard(io, temporary);
    throw storageError('create', name, error);
  }
}

/** Deletes objects durably: a deletion that was reported is not undone by a power failure. */
async function deleteAll(io: DirectoryIo, names: readonly string[]): Promise<void> {
  const changed = new Set<string>();
  for (const name of names) {
    try {
      if (await io.remove(name)) changed.add(parentOf(name));
    } catch (error) {
      throw storageError('delete', name, error);
    }
  }
  for (const directory of changed) {
    if (directory === temporaryDirectory) continue;
    try {
      await io.syncDirectory(directory);
    } catch (error) {
      throw storageError('delete', directory, error);
    }
  }
}

/** Removes a temporary file. A failure has no effect, because the next opening empties `tmp/`. */
function discard(io: DirectoryIo, temporary: string): void {
  try {
    io.unlink(temporary);
  } catch {}
}

function temporaryName(random: Random): string {
  return `${temporaryDirectory}/${Buffer.from(random.fill(new Uint8Array(8))).toString('hex')}`;
}

function head(io: DirectoryIo, name: string): ObjectHead | undefined {
  const bytes = guarded('stat', name, () => io.sizeOf(name));
  return bytes === undefined ? undefined : { name, bytes };
}

function openFile(io: DirectoryIo, name: string): IoFile | undefined {
  return guarded('open', name, () => io.open(name, 'read'));
}

function readAll(io: DirectoryIo, name: string): Uint8Array | undefined {
  return readRange(io, name, 0, Number.MAX_SAFE_INTEGER);
}

function readRange(
  io: DirectoryIo,
  name: string,
  offset: number,
  length: number,
): Uint8Array | undefined {
  const file = openFile(io, name);
  if (file === undefined) return undefined;
  try {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, file.bytes - offset)));
    const read = guarded('read', name, () => file.read(bytes, offset));
    return read === bytes.length ? bytes : bytes.slice(0, read);
  } finally {
    file.close();
  }
}

function openRead(io: DirectoryIo, name: string): ObjectReader {
  const file = openFile(io, name);
  if (file === undefined) throw new StorageError({ kind: 'missing', object: name });
  return {
    name,
    bytes: file.bytes,
    readInto: (offset, target) =>
      backingRead(() => guarded('read', name, () => file.read(target, offset))),
    isThere: () => guarded('stat', name, () => file.isAt(name)),
    close: () => file.close(),
  };
}

function list(io: DirectoryIo, prefix: string, after: string): readonly ObjectHead[] {
  const found: ObjectHead[] = [];
  collect(io, parentOf(prefix), prefix, after, found);
  return found.sort((left, right) => (left.name < right.name ? -1 : 1));
}

function collect(
  io: DirectoryIo,
  directory: string,
  prefix: string,
  after: string,
  found: ObjectHead[],
): void {
  for (const entry of guarded('list', directory, () => io.entries(directory))) {
    const name = directory === '' ? entry : `${directory}/${entry}`;
    if (name.endsWith('/')) {
      if (directory !== '' || entry !== `${temporaryDirectory}/`) {
        collect(io, name.slice(0, -1), prefix, after, found);
      }
    } else if (name.startsWith(prefix) && name > after) {
      const object = head(io, name);
      if (object !== undefined) found.push(object);
    }
  }
}

function guarded<T>(operation: string, name: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw storageError(operation, name, error);
  }
}
