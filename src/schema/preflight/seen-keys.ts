/** The distinct keys met so far, exactly, in bounded memory: one arena of bytes and an open table of places in it. */

const lengthBytes = 4;

export class SeenKeys {
  private readonly bytesMax: number;
  private arena = new Uint8Array(1 << 12);
  private used = 0;
  /** Offset + 1 of an entry in the arena; 0 is free. */
  private slots = new Uint32Array(1 << 8);
  private count = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Whether an equal key was added before. Once the memory is used up new keys are not remembered any more. */
  add(key: Uint8Array): boolean {
    let slot = hashOf(key) & (this.slots.length - 1);
    for (let at = this.slots[slot] as number; at !== 0; at = this.slots[slot] as number) {
      if (this.isAt(at - 1, key)) return true;
      slot = (slot + 1) & (this.slots.length - 1);
    }
    if (this.reserve(key.length + lengthBytes)) {
      this.slots[slot] = this.used + 1;
      this.store(key);
      this.count++;
      if (this.count * 2 > this.slots.length) this.spread();
    }
    return false;
  }

  private isAt(offset: number, key: Uint8Array): boolean {
    const { arena } = this;
    if (this.lengthAt(offset) !== key.length) return false;
    for (let i = 0; i < key.length; i++) {
      if (arena[offset + lengthBytes + i] !== key[i]) return false;
    }
    return true;
  }

  private lengthAt(offset: number): number {
    const { arena } = this;
    return (
      (arena[offset] as number) |
      ((arena[offset + 1] as number) << 8) |
      ((arena[offset + 2] as number) << 16) |
      ((arena[offset + 3] as number) << 24)
    );
  }

  private store(key: Uint8Array): void {
    const { arena, used } = this;
    for (let i = 0; i < lengthBytes; i++) arena[used + i] = (key.length >>> (8 * i)) & 0xff;
    arena.set(key, used + lengthBytes);
    this.used += lengthBytes + key.length;
  }

  /** False when the key does not fit the memory that may be used. */
  private reserve(bytes: number): boolean {
    const tableBytes = this.slots.length * 4 * 2;
    const needed = this.used + bytes;
    if (needed + tableBytes > this.bytesMax) return false;
    if (needed <= this.arena.length) return true;
    const grown = new Uint8Array(Math.max(needed, this.arena.length * 2));
    grown.set(this.arena.subarray(0, this.used));
    this.arena = grown;
    return true;
  }

  private spread(): void {
    const slots = new Uint32Array(this.slots.length * 2);
    for (let at = 0; at < this.used; at += lengthBytes + this.lengthAt(at)) {
      const from = at + lengthBytes;
      const key = this.arena.subarray(from, from + this.lengthAt(at));
      let slot = hashOf(key) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = at + 1;
    }
    this.slots = slots;
  }
}

/** FNV-1a, with a last stir so that its low bits depend on all bytes. */
function hashOf(key: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ (key[i] as number), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
