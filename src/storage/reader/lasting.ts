/** Which errors of a reader pass by themselves. */

import { StorageError, type StorageTrouble } from '../object/trouble.ts';

const passing: readonly StorageTrouble['kind'][] = [
  'io',
  'full',
  'unavailable',
  'unauthorized',
  'bucket_missing',
  'empty',
  'expired',
];

/** Whether this reader will never get beyond `error`: damage, a format of a newer program, another store, a mistake of ours. */
export function isLasting(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (link instanceof StorageError) return !passing.includes(link.trouble.kind);
  }
  return true;
}
