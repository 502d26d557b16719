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

export interface AnswerCache {
  get(key: string): Kept | undefined;
  /** Makes room by forgetting what was not used for longest; what is larger than all the room is not kept. */
  set(kept: Kept): void;
  clear(): void;
}

export function answerCache({
  entries: entriesMax = 1000,
  bytes: bytesMax = 16 << 20,
}: {
  entries?: number;
  bytes?: number;
} = {}): AnswerCache {
  /** The one used longest ago is the first. */
  const entries = new Map<string, Kept>();
  let bytes = 0;
  const put = (kept: Kept) => {
    entries.set(kept.key, kept);
    bytes += kept.bytes;
  };
  const take = (key: string) => {
    const found = entries.get(key);
    if (found !== undefined && entries.delete(key)) bytes -= found.bytes;
    return found;
  };
  return {
    get: (key) => {
      const found = take(key);
      if (found !== undefined) put(found);
      return found;
    },
    set: (kept) => {
      take(kept.key);
      if (kept.bytes > bytesMax) return;
      put(kept);
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax && bytes <= bytesMax) break;
        take(oldest);
      }
    },
    clear: () => {
      entries.clear();
      bytes = 0;
    },
  };
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
