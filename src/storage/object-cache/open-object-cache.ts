/** Opens the object cache of a store in its directory, which is locked for this process. */

import { createHash } from 'node:crypto';
import type { Clock } from '#base';
import { lockDirectory } from '../object/directory-lock.ts';
import { type Holder, storageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { systemDirectory } from '../object/system-directory.ts';
import { ObjectCache } from './object-cache.ts';
import type { ObjectCacheOptions } from './options.ts';

interface ObjectCachePlace {
  readonly path: string;
  /** Identifies the remote store, so that its parts are not confused with those of another store. */
  readonly scope: string;
  readonly identity: Omit<Holder, 'address'>;
}

export interface OpenedObjectCache {
  readonly cache: ObjectCache;
  close(): void;
}

/** Opens the cache. Throws `locked` if another process has the directory locked, and the system error if the directory cannot be used. */
export function openObjectCache(
  remote: ObjectStore,
  { path, scope, identity }: ObjectCachePlace,
  tools: { readonly clock: Clock; readonly options: ObjectCacheOptions },
): OpenedObjectCache {
  const lock = lockDirectory(path, identity);
  try {
    const io = systemDirectory(path);
    const directory = `parts-${createHash('sha256').update(scope).digest('hex').slice(0, 16)}`;
    const cache = new ObjectCache({ ...tools, remote, io, directory });
    const close = () => {
      cache.close();
      lock.release();
    };
    return { cache, close };
  } catch (error) {
    lock.release();
    throw storageError('open', path, error);
  }
}
