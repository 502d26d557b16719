/** Instruments of connections, of bodies and responses in transit, and of program templates. */

import type { EdgeCounters } from '#http';
import { counter, type Instrument, upDownCounter } from '#observe';
import { type InstrumentRow, instrumentsOf } from './instruments-of.ts';

const rows: readonly InstrumentRow<EdgeCounters>[] = [
  [
    upDownCounter,
    'svc.http.connections',
    '{connections}',
    'Number of open connections.',
    (all) => all.connections,
  ],
  [
    counter,
    'svc.http.refused',
    '{requests}',
    'Number of requests refused and connections closed by an HTTP limit, by reason.',
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
    'Bytes of memory for request bodies that are still being received.',
    (all) => all.arrivingBytes,
  ],
  [
    upDownCounter,
    'svc.http.unsent.bytes',
    'By',
    'Bytes of large responses that are not fully sent yet.',
    (all) => all.unsentBytes,
  ],
  [
    upDownCounter,
    'svc.planner.waiting',
    '{programs}',
    'Number of programs and catalog changes that wait for planning.',
    (all) => [
      [{ kind: 'program' }, all.programsWaiting],
      [{ kind: 'catalog_change' }, all.catalogChangesWaiting],
    ],
  ],
  [
    counter,
    'svc.query.conditions',
    '{queries}',
    'Number of queries with `If-None-Match`, by result: `unchanged` (status 304), `changed` (a full response) or `error`.',
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
    'Number of lookups of programs and queries by their text: `hit` uses a cached template, `miss` is parsed and planned.',
    (all) => [
      [{ result: 'hit' }, all.templateHits],
      [{ result: 'miss' }, all.templateMisses],
    ],
  ],
  [
    counter,
    'svc.program.template.evictions',
    '{templates}',
    'Number of templates evicted for other templates.',
    (all) => all.templateEvictions,
  ],
  [
    upDownCounter,
    'svc.program.template.entries',
    '{templates}',
    'Number of cached templates with their plans.',
    (all) => all.templates,
  ],
  [
    upDownCounter,
    'svc.program.template.retained',
    'By',
    'Bytes of memory of cached templates and their plans.',
    (all) => all.templateBytes,
  ],
];

/** `read` returns `undefined` until the handler exists. */
export function edgeInstruments(read: () => EdgeCounters | undefined): readonly Instrument[] {
  return instrumentsOf(read, rows);
}
