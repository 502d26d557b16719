/** What leaves the process for a collector (`--otel-endpoint`): spans of requests, and the instruments once a minute. */

import { version, type World } from '#base';
import { exportMetrics, resourceOf, spanProcessor, Tracing } from '#telemetry';
import type { ServeConfiguration } from './configuration.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { isDoneWithin } from './waiting.ts';

const metricsIntervalMs = 60_000;
/** For what is still on its way at a stop. */
const stopMsMax = 1500;

export interface TelemetryExport {
  readonly tracing: Tracing;
  /** Hands out what there is; whether the collector has taken it in time. What it still keeps waiting keeps the process alive. */
  stop(): Promise<boolean>;
}

/** Writes a line when the collector begins to refuse, or is not there, and when it takes again; none for each request. */
export function collectorWatch(signal: 'traces' | 'metrics', endpoint: string, log: Log) {
  let isLosing = false;
  return (error: Error | undefined) => {
    if ((error !== undefined) === isLosing) return;
    isLosing = error !== undefined;
    if (error === undefined) log.write('info', 'telemetry.export_recovered', { signal, endpoint });
    else log.write('warn', 'telemetry.export_failed', { signal, endpoint, error: error.message });
  };
}

/** Undefined without an endpoint. Without `metrics` spans alone are told. */
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
