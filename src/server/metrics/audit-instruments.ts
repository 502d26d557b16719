/** Instruments of the audit log. */

import type { AuditLog } from '#authentication';
import { counter, type Instrument } from '#observe';
import { type InstrumentRow, instrumentsOf } from './instruments-of.ts';

const rows: readonly InstrumentRow<Pick<AuditLog, 'droppedEver'>>[] = [
  [
    counter,
    'svc.audit.dropped',
    '{lines}',
    'Number of lines that could not be written to the audit log; absent without `--audit-log`.',
    (audit) => audit.droppedEver,
  ],
];

export function auditInstruments(read: () => AuditLog | undefined): readonly Instrument[] {
  return instrumentsOf(read, rows);
}
