/** The levels of a `Run`: flushed tables, merged runs (tiers) above the bottom, and the one bottom run. */
export const levels = { flushed: 0, tier: 1, bottom: 2 } as const;
