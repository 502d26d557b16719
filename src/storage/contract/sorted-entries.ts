/**
 * Entries in memory, in pieces. `places` has four numbers of each: its piece, where its key begins there, where the key and the value, which follow
 * each other, end. `order` names them in the order of their keys, which are all different.
 */
export interface SortedEntries {
  readonly pieces: readonly Uint8Array[];
  readonly places: Uint32Array;
  readonly order: Uint32Array;
}

/** Numbers of an entry in `places`. */
export const wordsOfEntry = 4;
