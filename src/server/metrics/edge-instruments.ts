/** Connections, bodies and answers on their way, and programs that are known by their text. */

import type { EdgeCounters } from '#http';
import { counter, type Instrument, upDownCounter } from '#observe';
import { type InstrumentRow, instrumentsOf } from './instruments-of.ts';

const rows: readonly InstrumentRow<EdgeCounters>[] = [
  [
    upDownCounter,
    'svc.http.connections',
    '{connections}',
    'Open connections.',
    (all) => all.connections,
  ],
  [
    counter,
    'svc.http.refused',
    '{requests}',
    'Requests and clients that the edge has turned away, by why.',
    (all) => [
      [{ reason: 'connections' }, all.refusedForConnections],
      [{ reason: 'idle_connection' }, all.connectionsEnded],
      [{ reason: 'unsent_answers' }, all.refusedForUnsent],
      [{ reason: 'slow_reader' }, all.slowReadersClosed],
      [{ reason: 'body_timeout' }, all.bodiesTimedOut],
      [{ reason: 'body_crowded_out' }, all.bodiesCrowdedOut],
    ],
  ],
  [
    upDownCounter,
    'svc.http.arriving.bytes',
    'By',
    'Memory for bodies on their way in.',
    (all) => all.arrivingBytes,
  ],
  [
    upDownCounter,
    'svc.http.unsent.bytes',
    'By',
    'Large answers that clients have not taken yet.',
    (all) => all.unsentBytes,
  ],
  [
    upDownCounter,
    'svc.planner.waiting',
    '{programs}',
    'Programs and catalog changes that wait to be planned.',
    (all) => [
      [{ kind: 'program' }, all.programsWaiting],
      [{ kind: 'catalog_change' }, all.catalogChangesWaiting],
    ],
  ],
  [
    counter,
    'svc.query.conditions',
    '{queries}',
    'Queries with `If-None-Match`: answered with 304, answered in full, failed.',
    (all) => [
      [{ result: 'unchanged' }, all.conditionsMet],
      [{ result: 'changed' }, all.conditionsMissed],
      [{ result: 'error' }, all.conditionsFailed],
    ],
  ],
  [
    counter,
    'svc.program.template.lookups',
    '{programs}',
    'Programs and queries that were found by their text, and those that were parsed and planned.',
    (all) => [
      [{ result: 'hit' }, all.templateHits],
      [{ result: 'miss' }, all.templateMisses],
    ],
  ],
  [
    counter,
    'svc.program.template.evictions',
    '{templates}',
    'Templates that made room for others.',
    (all) => all.templateEvictions,
  ],
  [
    upDownCounter,
    'svc.program.template.entries',
    '{templates}',
    'Templates with their plans.',
    (all) => all.templates,
  ],
  [
    upDownCounter,
    'svc.program.template.retained',
    'By',
    'Memory of templates and their plans.',
    (all) => all.templateBytes,
  ],
];

/** `read` answers undefined while there is no handler. */
export function edgeInstruments(read: () => EdgeCounters | undefined): readonly Instrument[] {
  return instrumentsOf(read, rows);
}
