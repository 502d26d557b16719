/** Creates a key in a store without a server. The command holds the lock of the store meanwhile. */

import { poolBytesDefault } from '#base';
import type { NewKey, NewKeyRequest } from '#client';
import { openEngine } from '#engine';
import { readConfiguration } from '#server';
import { flagValues } from '../frame/flag-values.ts';
import type { Shell } from '../frame/shell.ts';

interface StoreFlags {
  readonly storagePath: string;
  readonly catalogMode: string | undefined;
}

export async function createInStore(
  shell: Shell,
  { storagePath, catalogMode }: StoreFlags,
  request: NewKeyRequest,
): Promise<NewKey> {
  const flags = { storage: 'file', storagePath, ...(catalogMode !== undefined && { catalogMode }) };
  const configuration = readConfiguration(flagValues(flags), {});
  const engine = await openEngine({
    storage: 'file',
    path: configuration.storagePath,
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
    return await engine.keys.create(request, 'offline');
  } finally {
    await engine.close();
  }
}
