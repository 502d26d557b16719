/** Converts the current values of all instruments to OpenTelemetry data. */

import { ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { type Histogram, type Instrument, pointsMax } from '#observe';

type Moment = [seconds: number, nanoseconds: number];

/** Reads all instruments. `startMs` is the time at which counting began. Both times are milliseconds since 1970. */
export function collect(
  instruments: readonly Instrument[],
  resource: Resource,
  { startMs, nowMs }: { readonly startMs: number; readonly nowMs: number },
): ResourceMetrics {
  const times = { startTime: momentOf(startMs), endTime: momentOf(nowMs) };
  const metrics = instruments.map((instrument) => metricOf(instrument, times));
  return { resource, scopeMetrics: [{ scope: { name: 'svc' }, metrics }] };
}

function metricOf(
  instrument: Instrument,
  times: { readonly startTime: Moment; readonly endTime: Moment },
): MetricData {
  const { name, unit, description } = instrument;
  const base = {
    descriptor: { name, unit, description, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (instrument.kind === 'histogram') {
    const dataPoints = instrument
      .read()
      .slice(0, pointsMax)
      .map(({ attributes, value }) => ({ ...times, attributes, value: bucketsOf(value) }));
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = instrument
    .read()
    .slice(0, pointsMax)
    .map((point) => ({ ...times, ...point }));
  if (instrument.kind === 'gauge') {
    return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
  }
  const isMonotonic = instrument.kind === 'counter';
  return { ...base, dataPointType: DataPointType.SUM, dataPoints, isMonotonic };
}

function bucketsOf({ bounds, counts, count, sum }: Histogram) {
  return { buckets: { boundaries: [...bounds], counts: [...counts] }, count, sum };
}

function momentOf(ms: number): Moment {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
