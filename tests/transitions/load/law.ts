/** What writers may do right now: the conductor changes it around each transition, every client reads it as it sends. */

export interface Law {
  /** `free`: rows may share a tag; `distinct`: nobody makes them; `unique`: it is refused. */
  tags: 'free' | 'distinct' | 'unique';
  /** Of NULL in `note`. `none`: nobody writes it, and what is under way may be refused. */
  nulls: 'free' | 'none' | 'refused';
  /** The type of `code`, as far as anybody has seen; it never changes back. */
  codes: 'text' | 'int64';
  /** From the start of the replacement on: a text that is no number is refused. */
  isReplacing: boolean;
  /** Whether `stock` has its index. */
  isIndexed: boolean;
  /** The transition whose gate may be shut, from before its start until its end is known. */
  gate: string | undefined;
  /** Counts the transitions that may shut a gate, so that a request knows whether one was there at any time. */
  gates: number;
}

export function newLaw(): Law {
  return {
    tags: 'free',
    nulls: 'free',
    codes: 'text',
    isReplacing: false,
    isIndexed: false,
    gate: undefined,
    gates: 0,
  };
}
