/** Distinguishes the temporary errors of a reader from the lasting ones. */

import { StorageError, type StorageFault } from '../object/storage-fault.ts';

const passing: readonly StorageFault['kind'][] = [
  'io',
  'full',
  'unavailable',
  'unauthorized',
  'bucket_missing',
  'empty',
  'expired',
];

/** Returns whether this reader can never recover from `error`: damage, a format of a newer version, a replaced store, or a bug in svc. */
export function isLasting(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (link instanceof StorageError) return !passing.includes(link.fault.kind);
  }
  return true;
}
