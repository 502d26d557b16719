/** The text of Prometheus: names with units, one line a value, buckets that add up. */

import { expect, test } from 'bun:test';
import {
  counter,
  DurationHistogram,
  durations,
  gauge,
  pointsMax,
  RowHistogram,
  rowCounts,
  upDownCounter,
} from '#observe';
import { prometheusName, prometheusText } from '#telemetry';

const lines = (text: string) => text.split('\n').filter((line) => line !== '' && line[0] !== '#');

test('names have the unit once, and what only grows ends in _total', () => {
  const none = () => undefined;
  const names = [
    counter('a.b', '{things}', '', none),
    counter('a.time', 's', '', none),
    upDownCounter('a.used', 'By', '', none),
    upDownCounter('a.some.bytes', 'By', '', none),
    gauge('a.part', '1', '', none),
  ].map(prometheusName);
  expect(names).toEqual([
    'a_b_total',
    'a_time_seconds_total',
    'a_used_bytes',
    'a_some_bytes',
    'a_part_ratio',
  ]);
});

test('values stand under their names, and nothing to tell makes no line', () => {
  const instruments = [
    counter('a.b', '{things}', 'Things.', () => [[{ kind: 'x"y' }, 2]]),
    gauge('a.c', 's', 'Time.', () => undefined),
    upDownCounter('a.d', 'By', 'Bytes.', () => 0.5),
  ];
  const text = prometheusText(instruments);
  expect(lines(text)).toEqual(['a_b_total{kind="x\\"y"} 2', 'a_d_bytes 0.5']);
  expect(text).toContain('# HELP a_b_total Things.\n');
  expect(text).toContain('# TYPE a_b_total counter\n');
  expect(text.endsWith('\n')).toBe(true);
});

test('buckets of a histogram add up to its count', () => {
  const taken = new DurationHistogram();
  for (const seconds of [0.0001, 0.02, 500]) taken.add(seconds);
  const text = prometheusText([
    durations('a.took', 'Took.', () => [{ attributes: {}, value: taken }]),
  ]);
  const of = (name: string) => lines(text).find((line) => line.startsWith(name));
  expect(of('a_took_seconds_count')).toBe('a_took_seconds_count 3');
  expect(of('a_took_seconds_bucket{le="0.00005"}')).toBe('a_took_seconds_bucket{le="0.00005"} 0');
  expect(of('a_took_seconds_bucket{le="0.001"}')).toBe('a_took_seconds_bucket{le="0.001"} 1');
  expect(of('a_took_seconds_bucket{le="120"}')).toBe('a_took_seconds_bucket{le="120"} 2');
  expect(of('a_took_seconds_bucket{le="+Inf"}')).toBe('a_took_seconds_bucket{le="+Inf"} 3');
});

test('histograms of rows have their own bounds, and no unit in their name', () => {
  const rows = new RowHistogram();
  for (const count of [0, 7, 2e7]) rows.add(count);
  const text = prometheusText([rowCounts('a.rows', '', () => [{ attributes: {}, value: rows }])]);
  expect(text).toContain('# TYPE a_rows histogram\n');
  expect(lines(text)).toContain('a_rows_bucket{le="0"} 1');
  expect(lines(text)).toContain('a_rows_bucket{le="10"} 2');
  expect(lines(text)).toContain('a_rows_bucket{le="10000000"} 2');
  expect(lines(text)).toContain('a_rows_bucket{le="+Inf"} 3');
  expect(lines(text)).toContain('a_rows_sum 20000007');
});

test('an instrument with too many values loses those beyond the bound', () => {
  const many = Array.from({ length: pointsMax + 1 }, (_, i) => [{ n: String(i) }, i] as const);
  const text = prometheusText([counter('a', '{n}', 'Many.', () => many)]);
  expect(lines(text)).toHaveLength(pointsMax);
});
