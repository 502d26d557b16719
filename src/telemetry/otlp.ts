/** Spans and instruments to a collector, by OTLP over HTTP. What it does not take is dropped: nobody waits for it. */

import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import type { Clock } from '#base';
import type { Instrument } from '#observe';
import { collect } from './collection.ts';

/** Spans that wait; what ends while so many do is dropped. */
const maxQueueSize = 2048;

/** What the collector has taken, or why it has not. */
type Told = (error: Error | undefined) => void;

/** `code` is 0 for what was taken. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** The same exporter, which tells how each request to the collector ended. */
function telling<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>, told: Told): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) => {
    send(items, (result) => {
      told(result.code === 0 ? undefined : (result.error ?? new Error('no reason was given')));
      done(result);
    });
  };
  return exporter;
}

/** `base` is the endpoint without `/v1/…`; the time is for one request to the collector. */
export function spanProcessor(base: string, timeoutMillis: number, told: Told): BatchSpanProcessor {
  const plain = new OTLPTraceExporter({ url: `${base}/v1/traces`, timeoutMillis });
  const exporter = telling(plain, told);
  return new BatchSpanProcessor({ exporter, maxQueueSize, exportTimeoutMillis: timeoutMillis });
}

interface MetricsExportParts {
  readonly base: string;
  readonly timeoutMs: number;
  readonly resource: Resource;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly instruments: () => readonly Instrument[];
  readonly told: Told;
}

/** Tells the collector of all instruments again and again, until the end. */
export function exportMetrics({
  base,
  timeoutMs: timeoutMillis,
  resource,
  clock,
  intervalMs,
  instruments,
  told,
}: MetricsExportParts): { stop(): Promise<void> } {
  const startMs = clock.unixMs();
  const reader = new PeriodicExportingMetricReader({
    exporter: telling(new OTLPMetricExporter({ url: `${base}/v1/metrics`, timeoutMillis }), told),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(timeoutMillis, intervalMs),
    metricProducers: [
      {
        collect: async () => ({
          resourceMetrics: collect(instruments(), resource, { startMs, nowMs: clock.unixMs() }),
          errors: [],
        }),
      },
    ],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return { stop: () => provider.shutdown() };
}

/** Of this process; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` beat the rest. */
export function resourceOf(attributes: Readonly<Record<string, string>>): Resource {
  const own = resourceFromAttributes({ 'service.name': 'svc', ...attributes });
  return own.merge(detectResources({ detectors: [envDetector] }));
}
