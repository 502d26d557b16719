/** Connects the HTTP handler to the configuration, the state and the log of the process. */

import type { World } from '#base';
import { type ConnectionPressure, describeChain, type HandlerOptions } from '#http';
import { GarbageWatch } from '#storage';
import { isLoopbackOnly } from './address.ts';
import type { ServeConfiguration } from './configuration.ts';
import type { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';
import { openProgramLog } from './program-log.ts';

/** Maximum nesting of a body, deep enough for any real program. The nesting is counted on the bytes before parsing. */
const depthMax = 1024;

interface ServingParts {
  readonly lifecycle: ServerLifecycle;
  readonly world: World;
  readonly log: Log;
  readonly pressure: () => ConnectionPressure;
  readonly sendContinue?: HandlerOptions['sendContinue'];
  readonly metrics?: HandlerOptions['metrics'];
  readonly tracing?: HandlerOptions['tracing'];
  readonly relay?: HandlerOptions['relay'];
  readonly authenticator?: HandlerOptions['authenticator'];
  readonly auditLog?: HandlerOptions['auditLog'];
}

export function handlerOptions(
  configuration: ServeConfiguration,
  parts: ServingParts,
): HandlerOptions {
  const { lifecycle, world, log, pressure, sendContinue, metrics, tracing, relay } = parts;
  const { authenticator, auditLog } = parts;
  const garbage = new GarbageWatch(world);
  return {
    lifecycle,
    limits: {
      bodyBytesMax: configuration.bodyBytesMax,
      depthMax,
      unsentBytesMax: configuration.unsentBytesMax,
      resultBytesMax: configuration.resultBytesMax,
      arrivingBytesMax: configuration.arrivingBytesMax,
    },
    relations: configuration.relations,
    corsOrigins: configuration.corsOrigins,
    keepAliveMs: configuration.keepAliveMs,
    pressure,
    ...(sendContinue && { sendContinue }),
    diagnostics: configuration.diagnostics,
    metrics,
    tracing,
    relay,
    programLog: openProgramLog({
      log,
      clock: world.clock,
      hasPrograms: configuration.hasProgramLog,
      slowMs: configuration.slowMs,
    }),
    release: (bytes) => garbage.add(bytes),
    random: world.random,
    clock: world.clock,
    scheduler: world.scheduler,
    authenticator,
    auditLog,
    rateLimit: configuration.rateLimit,
    keys: {
      tokensCanBeAdmins: configuration.authentication.tokens !== undefined,
      refusesOpenClients: configuration.isInsecure,
    },
    // Without authentication, a page that reaches this machine by another name could read all data.
    loopbackOnly: authenticator === undefined && isLoopbackOnly(configuration.address),
    secureTransport: secureTransportOf(configuration),
    trustedProxies: configuration.trustedProxies,
    requiresProxy: configuration.isBehindTlsProxy && configuration.trustedProxies.length > 0,
    ownHost: configuration.address.host,
    allowedHosts: configuration.allowedHosts,
    onInternalError: (incident, error, { method, url }) => {
      const stack = error instanceof Error ? error.stack : undefined;
      const fields = { incident, method, url: plain(url), error: describeChain(error), stack };
      log.write('error', 'request.failed', fields);
    },
    // A client that waits for startup repeats its request often.
    onProbeFailed: (path, reason) =>
      log.write(reason === 'starting' ? 'debug' : 'warn', 'http.probe_failed', { path, reason }),
    onReaderClosed: (taken_bytes, bytes) =>
      log.write('warn', 'http.reader_closed', { taken_bytes, bytes }),
    ...(log.has('debug') ? { onCompleted: completed(log) } : {}),
  };
}

function secureTransportOf({ tls, address, isBehindTlsProxy }: ServeConfiguration) {
  if (tls !== undefined) return { isStrict: !isLoopbackOnly(address) };
  return isBehindTlsProxy ? { isStrict: false } : undefined;
}

function completed(log: Log): NonNullable<HandlerOptions['onCompleted']> {
  return ({ method, url }, { status }, durationMs, trace) => {
    log.write('debug', 'http.request_completed', {
      request_id: trace?.requestId,
      trace_id: trace?.traceId,
      span_id: trace?.spanId,
      method,
      url: plain(url),
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
    });
  };
}

/** Removes the query string, which can contain arbitrary data. */
function plain(url: string): string {
  return url.split(/[?#]/, 1)[0] as string;
}
