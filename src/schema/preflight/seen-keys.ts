/**
 * An exact set of keys in bounded memory: one arena of bytes, and an open-addressing hash table of offsets into it. The table also contains the
 * hashes, so that it can grow without reading the keys.
 */

const lengthBytes = 4;
/** Bytes of an offset and a hash. */
const slotBytes = 8;

export class SeenKeys {
  private readonly bytesMax: number;
  private arena = new Uint8Array(1 << 12);
  private used = 0;
  /** Offset + 1 of an entry in the arena; 0 for a free slot. */
  private places = new Uint32Array(1 << 8);
  private hashes = new Uint32Array(1 << 8);
  private count = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Adds `key[0, length)`. Returns whether it was in the set before. When the memory is used up, new keys are no longer added. */
  add(key: Uint8Array, length = key.length): boolean {
    const hash = hashOf(key, length);
    let slot = hash & (this.places.length - 1);
    for (let at = this.places[slot] as number; at !== 0; at = this.places[slot] as number) {
      if (this.hashes[slot] === hash && this.isAt(at - 1, key, length)) return true;
      slot = (slot + 1) & (this.places.length - 1);
    }
    if (!this.reserve(length + lengthBytes)) return false;
    this.places[slot] = this.used + 1;
    this.hashes[slot] = hash;
    this.store(key, length);
    this.count++;
    if (this.count * 4 > this.places.length * 3) this.spread();
    return false;
  }

  private isAt(offset: number, key: Uint8Array, length: number): boolean {
    const { arena } = this;
    for (let i = 0; i < lengthBytes; i++) {
      if (arena[offset + i] !== ((length >>> (8 * i)) & 0xff)) return false;
    }
    const from = offset + lengthBytes;
    for (let i = 0; i < length; i++) if (arena[from + i] !== key[i]) return false;
    return true;
  }

  private store(key: Uint8Array, length: number): void {
    const { arena, used } = this;
    for (let i = 0; i < lengthBytes; i++) arena[used + i] = (length >>> (8 * i)) & 0xff;
    const from = used + lengthBytes;
    for (let i = 0; i < length; i++) arena[from + i] = key[i] as number;
    this.used = from + length;
  }

  /** Reserves space in the arena. Returns false if the memory limit would be exceeded, including the next size of the hash table. */
  private reserve(bytes: number): boolean {
    const needed = this.used + bytes;
    if (needed + this.places.length * slotBytes * 2 > this.bytesMax) return false;
    if (needed <= this.arena.length) return true;
    const grown = new Uint8Array(Math.max(needed, Math.min(this.arena.length * 2, this.bytesMax)));
    grown.set(this.arena.subarray(0, this.used));
    this.arena = grown;
    return true;
  }

  private spread(): void {
    const places = new Uint32Array(this.places.length * 2);
    const hashes = new Uint32Array(places.length);
    const mask = places.length - 1;
    for (let from = 0; from < this.places.length; from++) {
      const place = this.places[from] as number;
      if (place === 0) continue;
      const hash = this.hashes[from] as number;
      let slot = hash & mask;
      while (places[slot] !== 0) slot = (slot + 1) & mask;
      places[slot] = place;
      hashes[slot] = hash;
    }
    this.places = places;
    this.hashes = hashes;
  }
}

/** Returns the FNV-1a hash, with a final mixing step so that its low bits depend on all bytes. */
function hashOf(key: Uint8Array, length: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (key[i] as number), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
