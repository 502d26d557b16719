/** Counters of the relation cache. */

export class RelationCounters {
  hits = 0;
  misses = 0;
  /** Results taken from another request that was computing them. */
  coalesced = 0;
  admitted = 0;
  /** Results that were not cached because they were requested for the first time. */
  refusedFirst = 0;
  /** Results that were not cached because they were too large. */
  refusedSize = 0;
  /** Results that were not cached because they were requested less often than the cached ones. */
  refusedFrequency = 0;
  /** Results that were not cached because the state changed before they were complete. */
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
