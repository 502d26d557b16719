/**
 * Entries in memory, stored in several byte arrays. `places` has four numbers per entry: its piece,
 * the start of its key there, the end of the key and the end of the value, which follows the key.
 * `order` contains the numbers of the entries in key order. All keys are different.
 */
export interface SortedEntries {
  readonly pieces: readonly Uint8Array[];
  readonly places: Uint32Array;
  readonly order: Uint32Array;
}

/** How many numbers `places` has per entry. */
export const wordsOfEntry = 4;
