/** Returns the counters of a log that has just been opened. */

import type { LogCounters } from '../contract/statistics.ts';

export function newCounters(): LogCounters {
  return { records: 0, payloadBytes: 0, groups: 0, writtenBytes: 0, segments: 0 };
}
