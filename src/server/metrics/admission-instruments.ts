/** Programs that wait and run, and the memory that they share. */

import type { AdmissionStatistics } from '#engine';
import { counter, gauge, type Instrument, upDownCounter } from '#observe';
import { type InstrumentRow, instrumentsOf } from './instruments-of.ts';

const rows: readonly InstrumentRow<AdmissionStatistics>[] = [
  [
    upDownCounter,
    'svc.program.queue.active',
    '{programs}',
    'Programs that wait for a slot, and those of them that are heavy.',
    (all) => [
      [{ class: 'heavy' }, all.queuedHeavy],
      [{ class: 'other' }, all.queued - all.queuedHeavy],
    ],
  ],
  [
    upDownCounter,
    'svc.program.admitted.active',
    '{programs}',
    'Programs that have a slot; points run without one.',
    (all) => [
      [{ class: 'heavy' }, all.runningHeavy],
      [{ class: 'other' }, all.running],
    ],
  ],
  [
    upDownCounter,
    'svc.program.waiting',
    '{programs}',
    'Programs that wait, by what for.',
    (all) => [
      [{ for: 'slice' }, all.waitingForSlice],
      [{ for: 'storage' }, all.pressed],
      [{ for: 'exclusive_turn' }, all.behindExclusive],
    ],
  ],
  [
    counter,
    'svc.program.admitted',
    '{programs}',
    'Programs that were let in, by class.',
    (all) => [
      [{ class: 'point' }, all.point],
      [{ class: 'query' }, all.query],
      [{ class: 'heavy' }, all.heavy],
    ],
  ],
  [
    counter,
    'svc.program.ended',
    '{programs}',
    'Programs that were ended early, by why.',
    (all) => [
      [{ reason: 'deadline' }, all.deadline],
      [{ reason: 'client_gone' }, all.clientGone],
      [{ reason: 'stopping' }, all.stopped],
    ],
  ],
  [
    upDownCounter,
    'svc.program.memory.used',
    'By',
    'Memory that programs hold.',
    (all) => all.poolUsedBytes,
  ],
  [
    gauge,
    'svc.program.memory.peak',
    'By',
    'The most that programs have held at a time.',
    (all) => all.poolPeakBytes,
  ],
  [
    counter,
    'svc.program.memory.refused',
    '{refusals}',
    'Programs that wanted more memory than there was.',
    (all) => all.poolRefused,
  ],
  [
    upDownCounter,
    'svc.program.spill.files',
    '{files}',
    'Files of programs on the local disk.',
    (all) => all.spillFiles,
  ],
  [
    upDownCounter,
    'svc.program.spill.used',
    'By',
    'What programs have on the local disk.',
    (all) => all.spillUsedBytes,
  ],
  [
    counter,
    'svc.program.spill.written',
    'By',
    'What programs have put on the local disk.',
    (all) => all.spillWrittenBytes,
  ],
  [
    counter,
    'svc.program.spill.refused',
    '{refusals}',
    'Programs for which the local disk had no room.',
    (all) => all.spillRefused,
  ],
];

/** `read` answers undefined while no database is open. */
export function admissionInstruments(
  read: () => AdmissionStatistics | undefined,
): readonly Instrument[] {
  return instrumentsOf(read, rows);
}
