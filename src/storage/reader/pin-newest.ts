/**
 * Pins the newest manifest: steps R1 to R3 of the protocol of readers (docs/storage-format.md, "Pins").
 *
 * The reader gets the manifest before it writes the pin, and the manifest must be the newest after that. A writer that drops one of its SSTables
 * then lists the pins later and finds this one. The mere existence of the manifest would not be enough.
 */

import { hostname } from 'node:os';
import type { World } from '#base';
import type { Manifest } from '../manifest/manifest.ts';
import { NewestManifestWatch } from '../manifest/newest-manifest.ts';
import { newPin, type Pin } from '../manifest/pins.ts';
import type { ReaderPlace } from './reader-place.ts';

export interface PinnedManifest {
  readonly pin: Pin;
  readonly manifest: Manifest;
}

/** `none`: there is no manifest. `same`: `held` is the newest. `raced`: a newer manifest appeared during each attempt. */
type PinOutcome = PinnedManifest | 'none' | 'same' | 'raced';

/**
 * Maximum number of attempts, since a writer that publishes constantly could keep a reader from ever finishing. The reader then keeps its
 * state and tries again later.
 */
const attemptsMax = 16;

export async function pinNewest(
  { manifests, objects }: ReaderPlace,
  world: World,
  held?: string,
): Promise<PinOutcome> {
  const newestWatch = new NewestManifestWatch();
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const name = await manifests.newestName();
    if (name === undefined) return 'none';
    if (name === held) return 'same';
    const manifest = await manifests.read(name);
    // The manifest was collected after the listing, so a newer one exists.
    if (manifest === undefined) {
      newestWatch.noteMissing(name);
      continue;
    }
    const pin = newPin(name, world.random);
    try {
      await objects.put(pin.name, pinContent(world));
      if ((await manifests.newestName()) === name) return { pin, manifest };
    } catch (error) {
      await unpin(pin);
      throw error;
    }
    await unpin(pin);
  }
  return 'raced';

  /** Deletes the pin. If that fails, the pin only delays a deletion by an hour. */
  async function unpin({ name }: Pin): Promise<void> {
    await objects.delete([name]).catch(() => {});
  }
}

function pinContent({ clock }: World): Uint8Array {
  const content = { pid: process.pid, hostname: hostname(), pinnedUnixMs: clock.unixMs() };
  return Buffer.from(`${JSON.stringify(content)}\n`);
}
