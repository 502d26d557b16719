/** Exports spans of requests, and the instruments once a minute, to a collector (`--otel-endpoint`). */

import { version, type World } from '#base';
import { exportMetrics, resourceOf, spanProcessor, Tracing } from '#telemetry';
import type { ServeConfiguration } from './configuration.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { isDoneWithin } from './waiting.ts';

const metricsIntervalMs = 60_000;
/** Time for exporting pending data on shutdown. */
const stopMsMax = 1500;

export interface TelemetryExport {
  readonly tracing: Tracing;
  /**
   * Exports pending data and returns whether the collector has accepted it in time. Data that still waits keeps the
   * process alive.
   */
  stop(): Promise<boolean>;
}

/** Logs when the collector begins to fail and when it works again, instead of each request. */
export function collectorWatch(signal: 'traces' | 'metrics', endpoint: string, log: Log) {
  let isLosing = false;
  return (error: Error | undefined) => {
    if ((error !== undefined) === isLosing) return;
    isLosing = error !== undefined;
    if (error === undefined) log.write('info', 'telemetry.export_recovered', { signal, endpoint });
    else log.write('warn', 'telemetry.export_failed', { signal, endpoint, error: error.message });
  };
}

/** Returns `undefined` without an endpoint. Without `metrics`, only spans are exported. */
export function openTelemetryExport(
  { otel, role, instanceId }: ServeConfiguration,
  world: World,
  metrics: Metrics | undefined,
  log: Log,
): TelemetryExport | undefined {
  if (otel === undefined) return undefined;
  const { endpoint: base, sampling, timeoutMs } = otel;
  const resource = resourceOf({
    'service.version': version,
    'service.instance.id': instanceId,
    'svc.role': role,
  });
  const { clock, random } = world;
  const processor = spanProcessor(base, timeoutMs, collectorWatch('traces', base, log));
  const tracing = new Tracing({ clock, random, sampling, resource, processor });
  const instruments = metrics === undefined ? undefined : () => metrics.instruments();
  const exported =
    instruments &&
    exportMetrics({
      base,
      timeoutMs,
      resource,
      clock,
      intervalMs: metricsIntervalMs,
      instruments,
      told: collectorWatch('metrics', base, log),
    });
  return {
    tracing,
    stop: () => {
      const done = Promise.allSettled([tracing.stop(), exported?.stop()]).then(() => {});
      return isDoneWithin(world, stopMsMax, done);
    },
  };
}
