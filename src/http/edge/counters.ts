/** Counters of HTTP connections, bodies and responses, for metrics. Gauges grow and shrink. All other counters only grow. */

import { RelationCounters } from '../program/relations/relation-counters.ts';

export class EdgeCounters {
  /** Gauge: bytes of large responses, from their encoding until the socket has accepted them. */
  unsentBytes = 0;
  /** Gauge: number of large responses that are not fully sent. */
  unsentAnswers = 0;
  /** Large responses that were refused because too many bytes were unsent. */
  refusedForUnsent = 0;
  /** Clients that read their response too slowly. */
  slowReadersClosed = 0;
  /** Gauge: bodies being received. */
  arrivingBodies = 0;
  /** Gauge: memory for the received parts of these bodies. */
  arrivingBytes = 0;
  /** Bodies that were not received within their time limit. */
  bodiesTimedOut = 0;
  /** Bodies that were refused to free memory for others. */
  bodiesCrowdedOut = 0;
  /** Gauge: programs without a cached plan that wait for an iteration with time for them. */
  programsWaiting = 0;
  /** Gauge: catalog changes that wait in the same way. */
  catalogChangesWaiting = 0;
  /** Programs and queries whose template was found by their text, and those that had to be parsed and planned. */
  templateHits = 0;
  templateMisses = 0;
  /** Gauges: templates of programs with their plans, and their memory. */
  templates = 0;
  templateBytes = 0;
  /** Templates that were evicted to make room for other templates. */
  templateEvictions = 0;
  /** Conditional queries whose tag matched, whose tag did not match, and that failed. */
  conditionsMet = 0;
  conditionsMissed = 0;
  conditionsFailed = 0;
  /** Gauge: connections, set by the owner of the listener. */
  connections = 0;
  /** Idle connections that were closed because there were too many connections. */
  connectionsEnded = 0;
  /** Requests that were refused because there were too many connections. */
  refusedForConnections = 0;
  readonly relations = new RelationCounters();
}
