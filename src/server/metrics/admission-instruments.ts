/** Instruments of waiting and running programs and of the memory that they share. */

import type { AdmissionStatistics } from '#engine';
import { counter, gauge, type Instrument, upDownCounter } from '#observe';
import { type InstrumentRow, instrumentsOf } from './instruments-of.ts';

const rows: readonly InstrumentRow<AdmissionStatistics>[] = [
  [
    upDownCounter,
    'svc.program.queue.active',
    '{programs}',
    'Number of programs that wait for an execution slot, by class (`heavy`: long-running).',
    (all) => [
      [{ class: 'heavy' }, all.queuedHeavy],
      [{ class: 'other' }, all.queued - all.queuedHeavy],
    ],
  ],
  [
    upDownCounter,
    'svc.program.admitted.active',
    '{programs}',
    'Number of programs that have an execution slot, by class. Point reads run without a slot.',
    (all) => [
      [{ class: 'heavy' }, all.runningHeavy],
      [{ class: 'other' }, all.running],
    ],
  ],
  [
    upDownCounter,
    'svc.program.waiting',
    '{programs}',
    'Number of programs that wait, by the resource that they wait for.',
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
    'Number of admitted programs, by class.',
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
    'Number of programs that the server ended early, by reason.',
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
    'Bytes of memory that programs have reserved.',
    (all) => all.poolUsedBytes,
  ],
  [
    gauge,
    'svc.program.memory.peak',
    'By',
    'Bytes of memory that programs had reserved at the peak.',
    (all) => all.poolPeakBytes,
  ],
  [
    counter,
    'svc.program.memory.refused',
    '{refusals}',
    'Number of reservations refused because the memory limit was reached.',
    (all) => all.poolRefused,
  ],
  [
    upDownCounter,
    'svc.program.spill.files',
    '{files}',
    'Number of spill files on the local disk.',
    (all) => all.spillFiles,
  ],
  [
    upDownCounter,
    'svc.program.spill.used',
    'By',
    'Bytes of spill files on the local disk.',
    (all) => all.spillUsedBytes,
  ],
  [
    gauge,
    'svc.program.spill.limit',
    'By',
    'Maximum bytes of spill files at the last measurement of the free space; 0 if programs cannot spill.',
    (all) => all.spillLimitBytes,
  ],
  [
    counter,
    'svc.program.spill.written',
    'By',
    'Bytes written to spill files.',
    (all) => all.spillWrittenBytes,
  ],
  [
    counter,
    'svc.program.spill.refused',
    '{refusals}',
    'Number of spills refused because the limit of the local disk was reached.',
    (all) => all.spillRefused,
  ],
];

/** `read` returns `undefined` while no database is open. */
export function admissionInstruments(
  read: () => AdmissionStatistics | undefined,
): readonly Instrument[] {
  return instrumentsOf(read, rows);
}
