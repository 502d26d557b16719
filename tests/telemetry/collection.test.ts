/** What instruments read, as data of OpenTelemetry. */

import { expect, test } from 'bun:test';
import { emptyResource } from '@opentelemetry/resources';
import { DataPointType } from '@opentelemetry/sdk-metrics';
import { counter, DurationHistogram, durations, gauge, pointsMax, upDownCounter } from '#observe';
import { collect } from '../../src/telemetry/collection.ts';

interface Buckets {
  readonly boundaries: readonly number[];
  readonly counts: readonly number[];
}

const times = { startMs: 1_500, nowMs: 90_000.25 };

const collected = (...instruments: Parameters<typeof collect>[0]) =>
  collect(instruments, emptyResource(), times).scopeMetrics[0]?.metrics ?? [];

test('each kind has its own type, and only what grows is monotonic', () => {
  const taken = new DurationHistogram();
  const metrics = collected(
    counter('a', '{x}', 'A.', () => 1),
    upDownCounter('b', 'By', 'B.', () => 2),
    gauge('c', 's', 'C.', () => 3),
    durations('d', 'D.', () => [{ attributes: {}, value: taken }]),
  );
  expect(
    metrics.map((one) => [one.dataPointType, 'isMonotonic' in one && one.isMonotonic]),
  ).toEqual([
    [DataPointType.SUM, true],
    [DataPointType.SUM, false],
    [DataPointType.GAUGE, false],
    [DataPointType.HISTOGRAM, false],
  ]);
  expect(metrics.map(({ descriptor }) => descriptor)).toMatchObject([
    { name: 'a', unit: '{x}', description: 'A.' },
    { name: 'b', unit: 'By', description: 'B.' },
    { name: 'c', unit: 's', description: 'C.' },
    { name: 'd', unit: 's', description: 'D.' },
  ]);
});

test('a point has its attributes, and both moments to the nanosecond', () => {
  const points = () => [[{ k: 'v' }, 7]] as const;
  for (const of of [counter, gauge, upDownCounter]) {
    expect(collected(of('a', 's', '', points))[0]?.dataPoints).toEqual([
      { startTime: [1, 500_000_000], endTime: [90, 250_000], attributes: { k: 'v' }, value: 7 },
    ] as never);
  }
});

test('a histogram is copied: what comes later is not in it', () => {
  const taken = new DurationHistogram();
  taken.add(0.3);
  const [metric] = collected(durations('a', '', () => [{ attributes: {}, value: taken }]));
  taken.add(0.3);
  const [{ value, startTime }] = (metric as { dataPoints: unknown }).dataPoints as [
    { value: { buckets: Buckets; count: number; sum: number }; startTime: unknown },
  ];
  expect([value.count, value.sum, startTime]).toEqual([1, 0.3, [1, 500_000_000]]);
  expect(value.buckets.boundaries).toEqual([...taken.bounds]);
  expect(value.buckets.counts[value.buckets.boundaries.indexOf(0.5)]).toBe(1);
});

test('points beyond the bound are left out, those of histograms too', () => {
  const many = Array.from({ length: pointsMax + 5 }, (_, i) => ({ n: String(i) }));
  const value = new DurationHistogram();
  const [plain, histogram] = collected(
    counter('a', '{x}', '', () => many.map((attributes, i) => [attributes, i] as const)),
    durations('b', '', () => many.map((attributes) => ({ attributes, value }))),
  );
  expect(plain?.dataPoints).toHaveLength(pointsMax);
  expect(histogram?.dataPoints).toHaveLength(pointsMax);
});
