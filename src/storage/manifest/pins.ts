/**
 * Pins: a reader's word to whoever collects that it reads the tables of a manifest.
 *
 * The name says everything (docs/storage-format.md, "Pins"), so a listing of `pin/` is one request however many readers there are. Names
 * are random and never used again: a deletion that comes late hits nobody else.
 */

import type { Random } from '#base';
import { prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';

export interface Pin {
  /** Of the object. */
  readonly name: string;
  /** Of the manifest that is read. */
  readonly manifest: string;
}

/** A pin that is there. */
interface ListedPin extends Pin {
  readonly bytes: number;
}

const nonceBytes = 16;
const pattern = /^pin\/(.+)-[0-9a-f]{32}$/;

/** A pin that nobody has had: it counts once its object is there and `manifest` was still the newest after that. */
export function newPin(manifest: string, random: Random): Pin {
  const nonce = Buffer.from(random.fill(new Uint8Array(nonceBytes))).toString('hex');
  const pinned = manifest.slice(prefixes.manifest.length);
  return { name: `${prefixes.pin}${pinned}-${nonce}`, manifest };
}

/** In no order. Whatever else lies there is nobody's pin. */
export async function listPins(objects: Pick<ObjectStore, 'list'>): Promise<readonly ListedPin[]> {
  const pins: ListedPin[] = [];
  for (const { name, bytes } of await objects.list(prefixes.pin)) {
    const pinned = pattern.exec(name)?.[1];
    if (pinned !== undefined) pins.push({ name, manifest: `${prefixes.manifest}${pinned}`, bytes });
  }
  return pins;
}
