/**
 * The serving process: configuration, listener, state of the probes, signals, shutdown.
 *
 * `readConfiguration` converts flags and environment variables to a checked `ServeConfiguration`, or reports the invalid
 * option. A `Server` listens first, so that probes get responses, and then opens the database. `stop()` drains:
 * readiness fails immediately, listeners close after the drain delay, running requests finish, and the store closes.
 * `runServer` adds signals. Only this module and `base` may access the process itself.
 */

export { auditFiles } from './audit/audit-files.ts';
export { readConfiguration, type ServeConfiguration } from './configuration.ts';
export { withHostAddresses } from './host-addresses.ts';
export { type Log, type LogFields, openLog } from './log.ts';
export { LogSink, standardError } from './log-sink.ts';
export { metricsPage } from './metrics/metrics-page.ts';
export type { Environment } from './option.ts';
export { ownListener } from './own-listener.ts';
export { endLog, environment, runServer } from './process.ts';
export { RefusedConfiguration, RefusedOption } from './refused-option.ts';
export { securityChecks } from './security/checks.ts';
export { keySetCheck } from './security/key-set-check.ts';
export { isReachable } from './security/reachable.ts';
export { Server } from './server.ts';
export { handleSignals } from './signals.ts';
export type { StoreOption } from './store-option.ts';
export { storeOptions, storeVariable } from './store-options.ts';
