/** What the relation cache does, counted. */

export class RelationCounters {
  hits = 0;
  misses = 0;
  /** Answers that were had from another request which was just making them. */
  coalesced = 0;
  admitted = 0;
  /** Not kept: asked for once only; too large; asked for less often than what is there; of a state that was over when they were done. */
  refusedFirst = 0;
  refusedSize = 0;
  refusedFrequency = 0;
  refusedChanged = 0;
  evictedCapacity = 0;
  evictedStale = 0;
  /** Gauges. */
  entries = 0;
  bytes = 0;
  capacityEntries = 0;
  capacityBytes = 0;
  resultBytesMax = 0;
  /** What hits and shared answers took when they were made. */
  avoidedMs = 0;
}
