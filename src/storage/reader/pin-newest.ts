/**
 * Pins the newest manifest: steps R1 to R3 of the protocol of readers (docs/storage-format.md, "Pins").
 *
 * The manifest is got before its pin is written, and must be the newest after that: then whoever drops one of its tables lists the pins
 * later, and finds this one. That it still exists would not be enough.
 */

import { hostname } from 'node:os';
import type { World } from '#base';
import { Absences } from '../manifest/absences.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { newPin, type Pin } from '../manifest/pins.ts';
import type { ReaderPlace } from './reader-place.ts';

export interface PinnedManifest {
  readonly pin: Pin;
  readonly manifest: Manifest;
}

/** `none`: there is no manifest. `same`: `held` is the newest. `raced`: a newer one came each time that it was tried. */
type PinOutcome = PinnedManifest | 'none' | 'same' | 'raced';

/** A writer that publishes without a pause could keep a reader from ever getting one: it goes on later with what it has. */
const attemptsMax = 16;

export async function pinNewest(
  { manifests, objects }: ReaderPlace,
  world: World,
  held?: string,
): Promise<PinOutcome> {
  const absences = new Absences();
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const name = await manifests.newestName();
    if (name === undefined) return 'none';
    if (name === held) return 'same';
    const manifest = await manifests.read(name);
    // Collected meanwhile: there is a newer one.
    if (manifest === undefined) {
      absences.note(name);
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

  /** What stays behind holds up a deletion for an hour, and nothing else. */
  async function unpin({ name }: Pin): Promise<void> {
    await objects.delete([name]).catch(() => {});
  }
}

function pinContent({ clock }: World): Uint8Array {
  const content = { pid: process.pid, hostname: hostname(), pinnedUnixMs: clock.unixMs() };
  return Buffer.from(`${JSON.stringify(content)}\n`);
}
