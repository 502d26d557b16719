/**
 * The levels of a `RunEntry`: flushed SSTables (L0), compacted runs (tiers) above the bottom level, and
 * the single bottom run. Statistics report past runs as level `past`.
 */
export const levels = { flushed: 0, tier: 1, bottom: 2, past: 3 } as const;
