/**
 * Pins: with a pin, a reader informs the collector that it reads the SSTables of a manifest.
 *
 * The name contains all information (docs/storage-format.md, "Pins"), so one listing of `pin/`
 * suffices for any number of readers. Names are random and never reused, so a late deletion cannot
 * affect another pin.
 */

import type { Random } from '#base';
import { prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';

export interface Pin {
  /** Name of the pin object. */
  readonly name: string;
  /** Name of the manifest that the reader reads. */
  readonly manifest: string;
}

/** An existing pin. */
interface ListedPin extends Pin {
  readonly bytes: number;
}

const nonceBytes = 16;
const pattern = /^pin\/(.+)-[0-9a-f]{32}$/;

/**
 * Returns a new pin, which is valid if `manifest` is still the newest one after the pin object has
 * been created.
 */
export function newPin(manifest: string, random: Random): Pin {
  const nonce = Buffer.from(random.fill(new Uint8Array(nonceBytes))).toString('hex');
  const pinned = manifest.slice(prefixes.manifest.length);
  return { name: `${prefixes.pin}${pinned}-${nonce}`, manifest };
}

/** Lists the pins in no particular order. Objects with other names are ignored. */
export async function listPins(objects: Pick<ObjectStore, 'list'>): Promise<readonly ListedPin[]> {
  const pins: ListedPin[] = [];
  for (const { name, bytes } of await objects.list(prefixes.pin)) {
    const pinned = pattern.exec(name)?.[1];
    if (pinned !== undefined) pins.push({ name, manifest: `${prefixes.manifest}${pinned}`, bytes });
  }
  return pins;
}
