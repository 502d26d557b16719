/** Whether records cannot be read, and never will be: a part of a table of the store is damaged or gone. */

import { StorageError } from '#storage';

export function isDamage(error: unknown): boolean {
  if (!(error instanceof StorageError)) return false;
  const { kind } = error.trouble;
  return kind === 'corrupt' || kind === 'missing';
}
