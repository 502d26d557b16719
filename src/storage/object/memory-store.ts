/**
 * Objects in memory. The map is the medium: another store over the same map sees the same objects.
 */

import { concatenate } from './body.ts';
import { backingRead } from './read-evidence.ts';
import { StorageError } from './storage-fault.ts';
import type { Body, ConditionalOutcome, ObjectHead, ObjectReader, ObjectStore } from './store.ts';

export type MemoryObjects = Map<string, Uint8Array>;

export function memoryStore(objects: MemoryObjects = new Map()): ObjectStore {
  const head = (name: string): ObjectHead | undefined => {
    const body = objects.get(name);
    return body === undefined ? undefined : { name, bytes: body.length };
  };
  return {
    head,
    get: async (name) => objects.get(name)?.slice(),
    getRange: async (name, offset, length) => objects.get(name)?.slice(offset, offset + length),
    put: async (name, body) => {
      objects.set(name, concatenate(body));
    },
    putIfAbsent: async (name, body) => putIfAbsent(objects, name, body),
    list: async (prefix, after = '') =>
      [...objects.keys()]
        .filter((name) => name.startsWith(prefix) && name > after)
        .sort()
        .map((name) => head(name) as ObjectHead),
    delete: async (names) => {
      for (const name of names) objects.delete(name);
    },
    openRead: (name) => openRead(objects, name),
  };
}

function putIfAbsent(objects: MemoryObjects, name: string, body: Body): ConditionalOutcome {
  if (objects.has(name)) return 'conflict';
  objects.set(name, concatenate(body));
  return 'committed';
}

function openRead(objects: MemoryObjects, name: string): ObjectReader {
  const body = objects.get(name);
  if (body === undefined) throw new StorageError({ kind: 'missing', object: name });
  return {
    name,
    bytes: body.length,
    readInto(offset, target) {
      return backingRead(() => {
        const count = Math.max(0, Math.min(target.length, body.length - offset));
        target.set(body.subarray(offset, offset + count));
        return count;
      });
    },
    close: () => {},
  };
}
