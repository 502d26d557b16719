/** What is counted, and under which attributes. */

import { describe, expect, test } from 'bun:test';
import {
  DurationHistogram,
  durationBounds,
  JobMeter,
  ProgramMeter,
  RequestMeter,
  RowHistogram,
  rowBounds,
  StatementMeter,
} from '#observe';

describe('a histogram of durations', () => {
  test('puts a value into the first bucket whose bound is not below it', () => {
    const taken = new DurationHistogram();
    for (const seconds of [0, 0.00005, 0.0001, 120, 121]) taken.add(seconds);
    expect(taken.counts).toHaveLength(durationBounds.length + 1);
    expect([taken.counts[0], taken.counts[1], taken.counts.at(-2), taken.counts.at(-1)]).toEqual([
      2, 1, 1, 1,
    ]);
    expect(taken.count).toBe(5);
    expect(taken.sum).toBeCloseTo(241.00015, 9);
  });

  test('tells reads by key, of 100 to 200 µs, from slower ones below 1 ms', () => {
    expect(durationBounds[0]).toBe(0.00005);
    const bucketOf = (seconds: number) => {
      const taken = new DurationHistogram();
      taken.add(seconds);
      return taken.counts.indexOf(1);
    };
    const buckets = [0.00004, 0.00009, 0.00015, 0.00025, 0.0004, 0.0009, 0.002].map(bucketOf);
    expect(buckets).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

test('a histogram of rows has a bucket for none, and one for a single row', () => {
  const rows = new RowHistogram();
  for (const count of [0, 0, 1, 2, 10, 1e7, 1e7 + 1]) rows.add(count);
  expect(rowBounds.slice(0, 3)).toEqual([0, 1, 10]);
  expect(rows.counts).toHaveLength(rowBounds.length + 1);
  expect(rows.counts.slice(0, 3)).toEqual([2, 1, 2]);
  expect(rows.counts.slice(-2)).toEqual([1, 1]);
});

function readingOf(
  meter: { instruments: RequestMeter['instruments'] },
  name: string,
): readonly unknown[] {
  const instrument = meter.instruments().find((one) => one.name === name);
  return instrument?.read().map(({ attributes, value }) => ({ ...attributes, value })) ?? [];
}

describe('requests', () => {
  test('are counted by method and status', () => {
    const meter = new RequestMeter();
    meter.enter();
    meter.enter();
    expect(readingOf(meter, 'http.server.active_requests')).toEqual([{ value: 2 }]);
    meter.leave('POST', 200, 0.01, false);
    meter.leave('POST', 422, 0.01, false);
    expect(readingOf(meter, 'http.server.active_requests')).toEqual([{ value: 0 }]);
    const attributes = (status: string) => ({
      'http.request.method': 'POST',
      'http.response.status_code': status,
    });
    expect(readingOf(meter, 'http.server.requests')).toEqual([
      { ...attributes('200'), value: 1 },
      { ...attributes('422'), value: 1 },
    ]);
  });

  test('of which nobody wants to hear are not', () => {
    const meter = new RequestMeter();
    meter.enter();
    meter.leave('GET', 200, 0, true);
    expect(readingOf(meter, 'http.server.requests')).toEqual([]);
    expect(readingOf(meter, 'http.server.active_requests')).toEqual([{ value: 0 }]);
  });

  test('with methods that a client has made up share one', () => {
    const meter = new RequestMeter();
    for (let i = 0; i < 1000; i++) {
      meter.enter();
      meter.leave(`MADE-UP-${i}`, 405, 0, false);
    }
    expect(readingOf(meter, 'http.server.requests')).toEqual([
      {
        'http.request.method': '_OTHER',
        'http.response.status_code': '405',
        value: 1000,
      },
    ]);
  });
});

test('programs are counted by their end, dry ones apart and once there was one', () => {
  const meter = new ProgramMeter();
  for (let i = 0; i < 4; i++) meter.enter();
  meter.leave(false, 0.1, [{ affected: 2 }, { affected: 3 }], 7);
  meter.fail(false, 0.1, 3);
  const of = (status: string, isDry: boolean, value: number) => ({
    'svc.transport': 'http',
    'svc.status': status,
    'svc.program.dry_run': isDry,
    value,
  });
  expect(readingOf(meter, 'svc.program.active')).toEqual([{ value: 2 }]);
  expect(readingOf(meter, 'svc.program.executions')).toEqual([
    of('success', false, 1),
    of('error', false, 1),
  ]);
  expect(readingOf(meter, 'svc.program.statements')).toEqual([
    of('success', false, 2),
    of('error', false, 3),
  ]);
  expect(readingOf(meter, 'svc.program.result.rows')[0]).toEqual(of('success', false, 7));
  expect(readingOf(meter, 'svc.program.affected.rows')[0]).toEqual(of('success', false, 5));
  meter.leave(true, 0.1, [], 0);
  meter.fail(true, 0.1, 0);
  expect(readingOf(meter, 'svc.program.executions').slice(2)).toEqual([
    of('success', true, 1),
    of('error', true, 1),
  ]);
});

test('statements are counted by kind and end, and what was recalled apart', () => {
  const meter = new StatementMeter();
  meter.done('query', 5);
  meter.done('query', 7);
  meter.done('delete', 2);
  meter.failed('delete');
  meter.recalled(11);
  const of = (name: string) =>
    readingOf(meter, name)
      .map((point) => Object.values(point as Record<string, string | number>).join(' '))
      .filter((line) => !line.endsWith(' 0'));
  expect(of('svc.statement.executions')).toEqual([
    'query executed success 2',
    'delete executed success 1',
    'delete executed error 1',
    'query relation_cache success 1',
  ]);
  expect(of('svc.statement.rows')).toEqual([
    'query executed success 12',
    'delete executed success 2',
    'query relation_cache success 11',
  ]);
  expect(readingOf(meter, 'svc.statement.executions')).toHaveLength(11);
});

test('turns of jobs are counted by kind and outcome', () => {
  const meter = new JobMeter();
  meter.add({ kind: 'transition', outcome: 'advanced' });
  meter.add({ kind: 'transition', outcome: 'advanced' });
  meter.add({ kind: 'reclamation', outcome: 'failed' });
  expect(
    readingOf(meter, 'svc.scheduler.jobs').map((point) => Object.values(point as object)),
  ).toEqual([
    ['transition', 'advanced', 2],
    ['transition', 'failed', 0],
    ['reclamation', 'advanced', 0],
    ['reclamation', 'failed', 1],
  ]);
});

test('histograms have the bounds that dashboards know', () => {
  expect(durationBounds.filter((bound) => bound < 1)).toEqual([
    0.00005, 0.0001, 0.0002, 0.0003, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
    0.5,
  ]);
  for (const bounds of [durationBounds, rowBounds]) {
    expect([...bounds]).toEqual([...new Set(bounds)].sort((a, b) => a - b));
  }
});

test('each instrument has a name, a unit and a description, in these places', () => {
  const meters = [new RequestMeter(), new ProgramMeter(), new StatementMeter(), new JobMeter()];
  const all = meters.flatMap((meter) => meter.instruments());
  for (const { name, unit, description } of all) {
    expect(name).toMatch(/^(?:http|svc)(?:\.[a-z_]+)+$/);
    expect(unit).toMatch(/^(?:s|\{[a-z]+\})$/);
    expect(description).toMatch(/^[A-Z].+\.$/);
  }
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});
