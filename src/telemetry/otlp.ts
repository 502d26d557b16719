/**
 * Exports spans and instruments to a collector by OTLP over HTTP. Data that the collector does not accept is dropped, so
 * that no request waits for the collector.
 */

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

/** Maximum number of queued spans. A span that ends while the queue is full is dropped. */
const maxQueueSize = 2048;

/** Receives `undefined` if the collector accepted an export, or the error if it did not. */
type Told = (error: Error | undefined) => void;

/** `code` is 0 if the collector accepted the export. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** Makes the exporter report the result of each request to the collector. */
function telling<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>, told: Told): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) => {
    send(items, (result) => {
      told(
        result.code === 0 ? undefined : (result.error ?? new Error('the collector gave no reason')),
      );
      done(result);
    });
  };
  return exporter;
}

/**
 * Creates a processor that exports spans. `base` is the endpoint without `/v1/…`. The timeout applies to each request to
 * the collector.
 */
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

/** Exports all instruments to the collector at a fixed interval, until `stop` is called. */
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

/**
 * Returns the OpenTelemetry resource of this process. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override all
 * other attributes.
 */
export function resourceOf(attributes: Readonly<Record<string, string>>): Resource {
  const own = resourceFromAttributes({ 'service.name': 'svc', ...attributes });
  return own.merge(detectResources({ detectors: [envDetector] }));
}
