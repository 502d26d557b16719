/** The messages between the store and the compaction thread. */

import type { ComponentRequests } from '../object/component-requests.ts';
import { StorageError, type StorageFault } from '../object/storage-fault.ts';
import type { EntryBatch } from './entry-batch.ts';
import type { MergeJob } from './merge-job.ts';
import type { PlaceDescription } from './place-description.ts';
import type { MergeResult } from './task.ts';

/** A message to the compaction thread. `id` is the number of the merge to which the message belongs. */
export type ToWorker =
  | { readonly kind: 'open'; readonly place: PlaceDescription }
  | { readonly kind: 'merge'; readonly id: number; readonly order: MergeJob }
  | { readonly kind: 'name'; readonly id: number; readonly name: string }
  | { readonly kind: 'entries'; readonly id: number; readonly batch: EntryBatch };

export type FromWorker = MergeNews & {
  /** Requests of the thread to a remote store so far. */
  readonly requests: readonly ComponentRequests[] | undefined;
};

export type MergeNews =
  | { readonly kind: 'take_name'; readonly id: number }
  | {
      readonly kind: 'take_entries';
      readonly id: number;
      /** A batch that has been read, and whose memory is reused. */
      readonly spent: EntryBatch | undefined;
    }
  | { readonly kind: 'done'; readonly id: number; readonly result: MergeResult }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: PlainFailure };

/** An error without its class. */
interface PlainFailure {
  readonly fault: StorageFault | undefined;
  readonly message: string;
  readonly stack: string;
}

export function plainFailure(error: unknown): PlainFailure {
  const fault = faultIn(error);
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { fault, message, stack: stack ?? message };
}

export function failureOf({ fault, message, stack }: PlainFailure): Error {
  const cause = new Error(message);
  cause.stack = stack;
  return fault === undefined ? cause : new StorageError(fault, cause);
}

/**
 * Returns the storage fault of an error. The error for a damaged SSTable is a database failure that
 * has the fault as its cause.
 */
function faultIn(error: unknown): StorageFault | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof StorageError) return at.fault;
  }
  return undefined;
}
