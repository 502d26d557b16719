/** What the relation cache does, counted. */

export interface RelationCounters {
  hits: number;
  misses: number;
  /** Answers that were had from another request which was just making them. */
  coalesced: number;
  admitted: number;
  /** Not kept: asked for once only; too large; asked for less often than what is there; of a state that was over when they were done. */
  refusedFirst: number;
  refusedSize: number;
  refusedFrequency: number;
  refusedChanged: number;
  evictedCapacity: number;
  evictedStale: number;
  /** Gauges. */
  entries: number;
  bytes: number;
  capacityEntries: number;
  capacityBytes: number;
  resultBytesMax: number;
  /** What hits and shared answers took when they were made. */
  avoidedMs: number;
}

export function relationCounters(): RelationCounters {
  return {
    hits: 0,
    misses: 0,
    coalesced: 0,
    admitted: 0,
    refusedFirst: 0,
    refusedSize: 0,
    refusedFrequency: 0,
    refusedChanged: 0,
    evictedCapacity: 0,
    evictedStale: 0,
    entries: 0,
    bytes: 0,
    capacityEntries: 0,
    capacityBytes: 0,
    resultBytesMax: 0,
    avoidedMs: 0,
  };
}
