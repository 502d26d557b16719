/** Values of instruments, in their units: of the process, of outages, and of what the engine and the edge count. */

import { expect, test } from 'bun:test';
import type { Engine } from '#engine';
import type { Instrument } from '#observe';
import { admissionInstruments } from '../../../src/server/metrics/admission-instruments.ts';
import { AvailabilityMeter } from '../../../src/server/metrics/availability-meter.ts';
import { edgeInstruments } from '../../../src/server/metrics/edge-instruments.ts';
import { engineInstruments } from '../../../src/server/metrics/engine-instruments.ts';
import { processInstruments } from '../../../src/server/metrics/process-instruments.ts';
import { manualWorld } from '../../support/manual-world.ts';

/** By name, or by name and attribute. */
function valuesOf(instruments: readonly Instrument[]): Readonly<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const { kind, name, read } of instruments) {
    if (kind === 'histogram') continue;
    for (const { attributes, value } of read()) {
      const [attribute] = Object.values(attributes);
      values[attribute === undefined ? name : `${name} ${attribute}`] = value;
    }
  }
  return values;
}

test('processor time is in seconds, as the system counts it', () => {
  const before = process.cpuUsage();
  const values = valuesOf(processInstruments());
  const after = process.cpuUsage();
  for (const mode of ['user', 'system'] as const) {
    const seconds = values[`svc.process.cpu.time ${mode}`];
    expect(seconds).toBeGreaterThanOrEqual(before[mode] / 1_000_000);
    expect(seconds).toBeLessThanOrEqual(after[mode] / 1_000_000);
  }
  expect(values['svc.process.memory.rss']).toBeGreaterThan(1 << 20);
});

test('an outage counts once, and its time until the storage is back', () => {
  const { clock, advance } = manualWorld();
  const meter = new AvailabilityMeter(clock);
  const values = () => {
    const all = valuesOf(meter.instruments());
    const [available, outages, duration, fencing] = [
      'available',
      'outages',
      'outage.duration',
      'fencing',
    ].map((name) => all[`svc.storage.${name}`]);
    return { available, outages, duration, fencing };
  };
  meter.observed(true);
  expect(values()).toEqual({ available: 1, outages: 0, duration: 0, fencing: 0 });
  meter.observed(false);
  advance(1500);
  expect(values()).toEqual({ available: 0, outages: 1, duration: 1.5, fencing: 0 });
  meter.observed(false);
  advance(500);
  meter.observed(true);
  advance(9000);
  meter.observed(true);
  expect(values()).toEqual({ available: 1, outages: 1, duration: 2, fencing: 0 });
  meter.observed(false);
  meter.observed(true);
  meter.fenced();
  expect(values()).toEqual({ available: 1, outages: 2, duration: 2, fencing: 1 });
});

/** Each counter has a number of its own. */
function numbered(): { readonly counters: never; readonly names: () => readonly string[] } {
  const names: string[] = [];
  const get = (_: object, name: string): number => {
    if (!names.includes(name)) names.push(name);
    return 2 ** names.indexOf(name);
  };
  return { counters: new Proxy({}, { get }) as never, names: () => names };
}

test('each counter of the edge is told once, under a name of its own', () => {
  const { counters, names } = numbered();
  const values = valuesOf(edgeInstruments(() => counters));
  expect(Object.values(values)).toEqual(names().map((_, i) => 2 ** i));
  expect(valuesOf(edgeInstruments(() => undefined))).toEqual({});
});

test('the worker of transitions is told of by the process that writes, while a database is open', () => {
  const worker = { quarantined: 3, reclaiming: 4, failure: undefined as Error | undefined };
  const engine = (access: 'read' | 'write') =>
    ({
      access,
      meters: { instruments: () => [] },
      openTransactions: () => ({ open: 2, ageMs: 1500 }),
      transitions: { worker },
    }) as unknown as Engine;
  const own = { 'svc.transaction.open': 2, 'svc.transaction.oldest.age': 1.5 };
  const values = (of: Engine | undefined) => valuesOf(engineInstruments(() => of));
  const working = {
    ...own,
    'svc.scheduler.quarantined': 3,
    'svc.scheduler.lost_workers': 0,
    'svc.schema.reclamations': 4,
  };
  expect(values(engine('write'))).toMatchObject(working);
  worker.failure = new Error('lost');
  expect(values(engine('write'))).toMatchObject({ ...working, 'svc.scheduler.lost_workers': 1 });
  expect(values(engine('read'))).toEqual(own);
  expect(values(undefined)).toEqual({});
});

test('programs that wait are counted as heavy or other, never as both', () => {
  const { counters, names } = numbered();
  const values = valuesOf(admissionInstruments(() => counters));
  const of = (name: string) => 2 ** names().indexOf(name);
  expect(values['svc.program.queue.active heavy']).toBe(of('queuedHeavy'));
  expect(values['svc.program.queue.active other']).toBe(of('queued') - of('queuedHeavy'));
  const others = Object.entries(values).filter(([name]) => !name.startsWith('svc.program.queue'));
  expect(others.map(([, value]) => value)).toEqual(names().slice(2).map(of));
});
