/** Instruments of the CPU and memory that the process uses and may use. */

import { controlGroup } from '#base';
import { counter, gauge, type Instrument } from '#observe';

export function processInstruments(): readonly Instrument[] {
  return [
    counter('svc.process.cpu.time', 's', 'CPU time that the process has used.', () => {
      const { user, system } = process.cpuUsage();
      return [
        [{ 'cpu.mode': 'user' }, user / 1e6],
        [{ 'cpu.mode': 'system' }, system / 1e6],
      ];
    }),
    gauge('svc.process.cpu.limit', '{cpus}', 'Number of CPUs that the process may use.', () =>
      known(controlGroup().cpus),
    ),
    counter(
      'svc.process.cpu.throttled.duration',
      's',
      'Duration for which the CPU limit made the process wait.',
      () => controlGroup().throttledSeconds,
    ),
    counter(
      'svc.process.cpu.throttled.events',
      '{periods}',
      'Number of periods in which the CPU limit made the process wait.',
      () => controlGroup().throttledPeriods,
    ),
    gauge('svc.process.memory.rss', 'By', 'Bytes of resident memory of the process.', () =>
      process.memoryUsage.rss(),
    ),
    gauge('svc.process.memory.limit', 'By', 'Bytes of memory that the process may use.', () =>
      known(controlGroup().memoryBytes),
    ),
  ];
}

/** Returns `undefined` without a limit. */
function known(limit: number): number | undefined {
  return Number.isFinite(limit) ? limit : undefined;
}
