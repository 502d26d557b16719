/** Detects whether a writer is at work in a bucket, without a claim that would stop it. */

import { prefixes, runtimeName } from '../names.ts';
import { s3Client } from './client.ts';
import { listObjects } from './list.ts';
import type { S3Options } from './options.ts';

/**
 * Returns a text that changes while a server writes to the store. An idle server writes `runtime` again each second, and a busy one adds log objects and
 * manifests.
 */
export async function bucketActivity(options: S3Options): Promise<string> {
  const client = s3Client(options);
  const manifests = await listObjects(client, prefixes.manifest, '');
  const log = await listObjects(client, prefixes.log, '');
  const mark = await client.ask(
    { method: 'HEAD', key: client.keyOf(runtimeName) },
    { operation: 'stat', object: runtimeName },
    ({ headers }) => [headers.get('last-modified'), headers.get('etag')],
  );
  return JSON.stringify([manifests.at(-1)?.name, log.at(-1)?.name, mark]);
}
