/** Numbers identity keys other than small integers. A map that grows moves all of its entries in one step, so a large map is split once into many. */

import type { IdentityKey } from '#value';

const partCount = 256;
/** Number of keys at which the one map is split into many. */
const splitAt = 2 ** 13;
const multiplier = 0x9e3779b1;
/** Maximum number of code units that are hashed to choose a part. */
const sampledUnits = 16;
const bits = new DataView(new ArrayBuffer(8));

export class IdentityCodes {
  size = 0;
  private parts: readonly Map<IdentityKey, number>[] = [new Map()];

  get(key: IdentityKey): number | undefined {
    return this.partOf(key).get(key);
  }

  /** Adds a key that must not be in it yet. */
  add(key: IdentityKey, code: number): void {
    if (this.size === splitAt) this.split();
    this.partOf(key).set(key, code);
    this.size++;
  }

  private partOf(key: IdentityKey): Map<IdentityKey, number> {
    const which = this.parts.length === 1 ? 0 : hashOf(key) >>> 24;
    return this.parts[which] as Map<IdentityKey, number>;
  }

  private split(): void {
    const [whole] = this.parts as [Map<IdentityKey, number>];
    this.parts = Array.from({ length: partCount }, () => new Map());
    for (const [key, code] of whole) this.partOf(key).set(key, code);
  }
}

function hashOf(key: IdentityKey): number {
  if (typeof key === 'string') return hashText(key);
  if (typeof key === 'boolean' || key === null) return 0;
  // -0 is identical to 0.
  bits.setFloat64(0, Number(key) + 0);
  return Math.imul(bits.getInt32(0) ^ bits.getInt32(4), multiplier);
}

/** Hashes the last units, where keys that are counted up differ, and a sample of earlier ones. */
function hashText(text: string): number {
  let hash = text.length;
  const step = Math.max(1, text.length >>> 3);
  let at = text.length - 1;
  for (let i = 0; i < sampledUnits && at >= 0; i++) {
    hash = Math.imul(hash, 31) + text.charCodeAt(at);
    at -= i < sampledUnits / 2 ? 1 : step;
  }
  return Math.imul(hash ^ (hash >>> 15), multiplier);
}
