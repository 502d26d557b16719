/** The options of spill files: where programs spill, and how much. */

import { join, resolve, sep } from 'node:path';
import { type StoreTuning, spaceReserve, spillDirectory } from '#storage';
import { type Option, refusal, wholeNumber } from './option.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface SpillConfiguration {
  /** Absolute path of the directory. */
  readonly path: string;
  /**
   * `configured` is a directory that must work. The others are defaults: if no file can be created in them, programs do not spill. `store` is
   * within the directory of a file store, and `temporary` within the temporary directory of the system.
   */
  readonly place: 'configured' | 'store' | 'temporary';
  /** Maximum bytes of all spill files together; `undefined` selects a quarter of the free space. */
  readonly limitBytes: number | undefined;
  /** The directory of a file store, and the bytes that its file system must keep free. */
  readonly reserve: { readonly path: string; readonly bytes: number } | undefined;
}

interface Store {
  readonly storage: 'memory' | 'file' | 's3';
  readonly storagePath: string;
  readonly tuning: StoreTuning;
}

const range = { min: 1, max: 1 << 30, otherwise: 0 };
const mib = 1 << 20;

/** Returns `undefined` if programs do not spill. Throws a `RefusedOption`. */
export function spillOf(path: Option, limit: Option, store: Store): SpillConfiguration | undefined {
  const limitBytes = wholeNumber(limit, range) * mib || undefined;
  if (path.value === 'off') return undefined;
  const { storage, storagePath, tuning } = store;
  return {
    ...(path.value === undefined ? defaultPlace(store) : configuredPlace(path, store)),
    limitBytes,
    reserve: storage === 'file' ? { path: storagePath, bytes: spaceReserve(tuning) } : undefined,
  };
}

type Place = Pick<SpillConfiguration, 'path' | 'place'>;

function defaultPlace({ storage, storagePath }: Store): Place {
  return storage === 'file'
    ? { path: join(storagePath, spillDirectory), place: 'store' }
    : { path: temporaryDirectory('svc-spill'), place: 'temporary' };
}

function configuredPlace(option: Option, { storage, storagePath }: Store): Place {
  if (!option.value) throw refusal(option, 'a directory, or off');
  const path = resolve(option.value);
  const isWithin = path === storagePath || path.startsWith(`${storagePath}${sep}`);
  if (storage === 'file' && isWithin) throw refusal(option, 'a directory outside --storage-path');
  return { path, place: 'configured' };
}
