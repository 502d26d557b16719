/** Creates a key in a store without a server. The command is the writer of the store meanwhile. */

import { anyone, type NewKeyRecord } from '#access';
import { pause, poolBytesDefault } from '#base';
import type { NewKeyRequest } from '#client';
import { openEngine } from '#engine';
import { RefusedOption, readConfiguration } from '#server';
import { bucketActivity } from '#storage';
import { CommandFailure } from '../frame/command-failure.ts';
import { flagValues } from '../frame/flag-values.ts';
import type { Shell } from '../frame/shell.ts';

/** Time for which the command watches a bucket. A server writes to it at least once a second. */
const watchMs = 4_000;

/** `flags` are those of the storage location, and `--catalog-mode`. */
export async function createInStore(
  shell: Shell,
  flags: Readonly<Record<string, unknown>>,
  request: NewKeyRequest,
): Promise<NewKeyRecord> {
  const configuration = readConfiguration(flagValues(flags), shell.env);
  const { storage, storagePath, s3 } = configuration;
  if (storage === 'memory') throw new RefusedOption('--storage', storage, 'file or s3');
  if (s3 !== undefined) await refuseLiveWriter(shell, s3);
  const engine = await openEngine({
    storage,
    path: storagePath,
    s3,
    mode: configuration.catalogMode,
    world: shell.world,
    tuning: configuration.tuning,
    programMemoryBytes: configuration.programMemoryBytes,
    memoryBytes: poolBytesDefault(),
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 0,
    holderAddress: 'svc key create',
    worksOnTransitions: false,
  });
  try {
    return await engine.keys.create(request, 'offline', anyone);
  } finally {
    await engine.close();
  }
}

/** A bucket has no lock: the command would take the store over from a running server, which would then stop. */
async function refuseLiveWriter(
  { world }: Shell,
  bucket: Omit<Parameters<typeof bucketActivity>[0], 'world'>,
): Promise<void> {
  const before = await bucketActivity({ ...bucket, world });
  await pause(world.scheduler, watchMs);
  if ((await bucketActivity({ ...bucket, world })) === before) return;
  throw new CommandFailure({
    code: 'store_in_use',
    message: 'a server writes to this bucket; nothing was changed',
    hint: 'stop the server, or create the key through it with --database-url',
  });
}
