/** The space of a directory that must stay free for the store. */

import { storeDefaults } from '../contract/limits.ts';
import type { StoreTuning } from './options.ts';

/**
 * Returns the bytes that the log and the flushes of a store may need before the store delays writes: the log contains at most the writes of
 * all memtables, and their flushes write the same number of bytes once more.
 */
export function spaceReserve({
  unflushedBytesMax,
}: Pick<StoreTuning, 'unflushedBytesMax'>): number {
  return 2 * (unflushedBytesMax ?? storeDefaults.unflushedBytesMax);
}
