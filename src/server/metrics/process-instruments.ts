/** What the process takes of the machine, and what the machine lets it have. */

import { controlGroup } from '#base';
import { counter, gauge, type Instrument } from '#observe';

export function processInstruments(): readonly Instrument[] {
  return [
    counter('svc.process.cpu.time', 's', 'Processor time of the process.', () => {
      const { user, system } = process.cpuUsage();
      return [
        [{ 'cpu.mode': 'user' }, user / 1e6],
        [{ 'cpu.mode': 'system' }, system / 1e6],
      ];
    }),
    gauge('svc.process.cpu.limit', '{cpus}', 'Processors that the process may use.', () =>
      known(controlGroup().cpus),
    ),
    counter(
      'svc.process.cpu.throttled.duration',
      's',
      'Time that the process had to wait for a processor, by its limit.',
      () => controlGroup().throttledSeconds,
    ),
    counter(
      'svc.process.cpu.throttled.events',
      '{periods}',
      'Periods in which the process had to wait for a processor.',
      () => controlGroup().throttledPeriods,
    ),
    gauge('svc.process.memory.rss', 'By', 'Memory of the process.', () =>
      process.memoryUsage.rss(),
    ),
    gauge('svc.process.memory.limit', 'By', 'Memory that the process may have.', () =>
      known(controlGroup().memoryBytes),
    ),
  ];
}

/** Without a limit there is nothing to tell. */
function known(limit: number): number | undefined {
  return Number.isFinite(limit) ? limit : undefined;
}
