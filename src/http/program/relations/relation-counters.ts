/** Counters of the relation cache. */

export class RelationCounters {
  hits = 0;
  misses = 0;
  /** Results taken from another request that was computing them. */
  coalesced = 0;
  admitted = 0;
  /**
   * Results that were not cached: requested only once; too large; requested less often than the cached ones; from a
   * state that changed before they were complete.
   */
  refusedFirst = 0;
  refusedSize = 0;
  refusedFrequency = 0;
  refusedChanged = 0;
  evictedCapacity = 0;
  evictedStale = 0;
  /** Gauges: the current contents of the cache and its limits. */
  entries = 0;
  bytes = 0;
  capacityEntries = 0;
  capacityBytes = 0;
  resultBytesMax = 0;
  /** Total time that computing the reused results took. */
  avoidedMs = 0;
}
