/**
 * The levels of a `RunEntry`: flushed SSTables (L0), compacted runs (tiers) above the bottom level, and
 * the single bottom run.
 */
export const levels = { flushed: 0, tier: 1, bottom: 2 } as const;
