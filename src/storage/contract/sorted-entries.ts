/**
 * Entries in memory, stored in several byte arrays. `places` has four numbers per entry: its piece,
 * and there the start of the key, the end of the key and the end of the value. The value follows
 * the key. `order` contains the numbers of the entries in key order. All keys are different.
 */
export interface SortedEntries {
  readonly pieces: readonly Uint8Array[];
  readonly places: Uint32Array;
  readonly order: Uint32Array;
}

/** How many numbers `places` has per entry. */
export const wordsOfEntry = 4;
