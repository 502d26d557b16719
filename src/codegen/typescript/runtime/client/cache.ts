/** Answers with their entity tags: the ones used last, within a number of entries and of bytes. */

export interface Kept {
  /** Server, token and body. */
  readonly key: string;
  /** Null where a proxy lets no QUERY through: then the text tells whether something has changed. */
  readonly tag: string | null;
  readonly text: string;
  /** Frozen through and through. */
  readonly value: unknown;
  readonly bytes: number;
}

export class AnswerCache {
  private readonly entriesMax: number;
  private readonly bytesMax: number;
  private readonly entries = new Map<string, Kept>();
  private bytes = 0;

  constructor({ entries = 1000, bytes = 16 << 20 }: { entries?: number; bytes?: number } = {}) {
    this.entriesMax = entries;
    this.bytesMax = bytes;
  }

  get(key: string): Kept | undefined {
    const found = this.take(key);
    if (found !== undefined) this.put(key, found);
    return found;
  }

  /** Makes room by forgetting what was not used for longest; what is larger than all the room is not kept. */
  set(kept: Kept): void {
    const { key } = kept;
    this.take(key);
    if (kept.bytes > this.bytesMax) return;
    this.put(key, kept);
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.entriesMax && this.bytes <= this.bytesMax) break;
      this.take(oldest);
    }
  }

  clear(): void {
    this.entries.clear();
    this.bytes = 0;
  }

  private put(key: string, kept: Kept): void {
    this.entries.set(key, kept);
    this.bytes += kept.bytes;
  }

  private take(key: string): Kept | undefined {
    const found = this.entries.get(key);
    if (found !== undefined && this.entries.delete(key)) this.bytes -= found.bytes;
    return found;
  }
}

/** Every object of a result read-only, as the type says. */
export type DeepReadonly<T> = T extends Date | Uint8Array
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** Freezes objects and arrays at every depth. The elements of a Uint8Array cannot be frozen. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value as DeepReadonly<T>;
}
