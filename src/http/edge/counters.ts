/** What happens at the edge, counted: for whoever watches the server. Gauges go up and down, the others only grow. */

import { RelationCounters } from '../program/relations/relation-counters.ts';

export class EdgeCounters {
  /** Gauge: bytes of large answers, from their encoding until a socket has taken them. */
  unsentBytes = 0;
  /** Gauge: such answers. */
  unsentAnswers = 0;
  /** Large answers refused because too much was unsent. */
  refusedForUnsent = 0;
  /** Clients that took their answer too slowly. */
  slowReadersClosed = 0;
  /** Gauge: bodies on their way in. */
  arrivingBodies = 0;
  /** Gauge: memory for what has come of them. */
  arrivingBytes = 0;
  /** Bodies that did not arrive in their time. */
  bodiesTimedOut = 0;
  /** Bodies given up to make room for others. */
  bodiesCrowdedOut = 0;
  /** Gauge: programs that nobody has planned yet, and that wait for a turn in which there is time for them. */
  programsWaiting = 0;
  /** Gauge: changes of the catalog, likewise. */
  catalogChangesWaiting = 0;
  /** Programs and queries that were found by their text, and those that had to be parsed and planned. */
  templateHits = 0;
  templateMisses = 0;
  /** Gauges: templates of programs with their plans, and the memory that they keep. */
  templates = 0;
  templateBytes = 0;
  /** Templates that made room for others. */
  templateEvictions = 0;
  /** Queries with a condition that was the state as it is, that was not, and those that failed. */
  conditionsMet = 0;
  conditionsMissed = 0;
  conditionsFailed = 0;
  /** Gauge: connections, as the listener's owner counts them. */
  connections = 0;
  /** Connections without a request, closed because there were too many. */
  connectionsEnded = 0;
  /** Requests refused because there were too many connections. */
  refusedForConnections = 0;
  readonly relations = new RelationCounters();
}
