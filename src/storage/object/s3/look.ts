/** A single short request that checks whether a bucket exists and is accessible. */

import { StorageError } from '../storage-fault.ts';
import { s3Client } from './client.ts';
import { pageOf } from './list.ts';
import type { S3Options } from './options.ts';

export type BucketSight =
  | { readonly kind: 'ok' }
  | { readonly kind: 'missing' | 'unauthorized' | 'unreachable'; readonly error: unknown };

/** Sends one request without retries. */
export async function lookAtBucket(options: S3Options): Promise<BucketSight> {
  const client = s3Client({ ...options, attemptsMax: 1 });
  try {
    await pageOf(client, client.keyOf(''), { 'max-keys': '1' });
    return { kind: 'ok' };
  } catch (error) {
    const kind = error instanceof StorageError ? error.fault.kind : 'io';
    if (kind === 'bucket_missing') return { kind: 'missing', error };
    if (kind === 'unauthorized') return { kind: 'unauthorized', error };
    return { kind: 'unreachable', error };
  }
}
