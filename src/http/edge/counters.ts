/** What happens at the edge, counted: for whoever watches the server. Gauges go up and down, the others only grow. */

export interface EdgeCounters {
  /** Gauge: bytes of large answers that no socket has taken yet. */
  unsentBytes: number;
  /** Gauge: such answers. */
  unsentAnswers: number;
  /** Programs refused because too much was unsent. */
  refusedForUnsent: number;
  /** Clients that took their answer too slowly. */
  slowReadersClosed: number;
}

export function edgeCounters(): EdgeCounters {
  return { unsentBytes: 0, unsentAnswers: 0, refusedForUnsent: 0, slowReadersClosed: 0 };
}
