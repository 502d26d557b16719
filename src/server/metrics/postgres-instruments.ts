/** Instruments of the PostgreSQL listener. */

import { type Instrument, upDownCounter } from '#observe';
import { type InstrumentRow, instrumentsOf } from './instruments-of.ts';

export interface ConnectionCounts {
  readonly open: number;
  readonly active: number;
}

const rows: readonly InstrumentRow<ConnectionCounts>[] = [
  [
    upDownCounter,
    'svc.postgresql.connections',
    '{connections}',
    'Number of open connections of the PostgreSQL listener; absent without `--frontend postgres`.',
    ({ open }) => open,
  ],
  [
    upDownCounter,
    'svc.postgresql.connections.active',
    '{connections}',
    'Number of these connections whose statement runs.',
    ({ active }) => active,
  ],
];

export function postgresInstruments(
  read: () => ConnectionCounts | undefined,
): readonly Instrument[] {
  return instrumentsOf(read, rows);
}
