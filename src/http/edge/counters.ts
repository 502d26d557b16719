/** What happens at the edge, counted: for whoever watches the server. Gauges go up and down, the others only grow. */

import { type RelationCounters, relationCounters } from '../program/relations/relation-counters.ts';

export interface EdgeCounters {
  /** Gauge: bytes of large answers, from their encoding until a socket has taken them. */
  unsentBytes: number;
  /** Gauge: such answers. */
  unsentAnswers: number;
  /** Large answers refused because too much was unsent. */
  refusedForUnsent: number;
  /** Clients that took their answer too slowly. */
  slowReadersClosed: number;
  /** Gauge: bodies on their way in. */
  arrivingBodies: number;
  /** Gauge: memory for what has come of them. */
  arrivingBytes: number;
  /** Bodies that did not arrive in their time. */
  bodiesTimedOut: number;
  /** Bodies given up to make room for others. */
  bodiesCrowdedOut: number;
  /** Gauge: programs that nobody has planned yet, and that wait for a turn in which there is time for them. */
  programsWaiting: number;
  /** Gauge: changes of the catalog, likewise. */
  catalogChangesWaiting: number;
  /** Programs and queries that were found by their text, and those that had to be parsed and planned. */
  templateHits: number;
  templateMisses: number;
  /** Gauges: templates of programs with their plans, and the memory that they keep. */
  templates: number;
  templateBytes: number;
  /** Templates that made room for others. */
  templateEvictions: number;
  /** Queries with a condition that was the state as it is, that was not, and those that failed. */
  conditionsMet: number;
  conditionsMissed: number;
  conditionsFailed: number;
  /** Gauge: connections, as the listener's owner counts them. */
  connections: number;
  /** Connections without a request, closed because there were too many. */
  connectionsEnded: number;
  /** Requests refused because there were too many connections. */
  refusedForConnections: number;
  readonly relations: RelationCounters;
}

export function edgeCounters(): EdgeCounters {
  return {
    unsentBytes: 0,
    unsentAnswers: 0,
    refusedForUnsent: 0,
    slowReadersClosed: 0,
    arrivingBodies: 0,
    arrivingBytes: 0,
    bodiesTimedOut: 0,
    bodiesCrowdedOut: 0,
    programsWaiting: 0,
    catalogChangesWaiting: 0,
    templateHits: 0,
    templateMisses: 0,
    templates: 0,
    templateBytes: 0,
    templateEvictions: 0,
    conditionsMet: 0,
    conditionsMissed: 0,
    conditionsFailed: 0,
    connections: 0,
    connectionsEnded: 0,
    refusedForConnections: 0,
    relations: relationCounters(),
  };
}
