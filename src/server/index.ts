/**
 * The serving process: configuration, listener, probes' state, signals, orderly stop.
 *
 * `readConfiguration` turns flags and environment into a checked `ServeConfiguration`, or says precisely what is wrong. A `Server` listens
 * first (so that probes answer), then opens the database; `stop()` drains: readiness fails at once, listeners close after the drain delay, running
 * requests finish, storage closes. `runServer` adds signals. This room and `base` are the only ones that may look at the process itself.
 */

export { readConfiguration } from './configuration.ts';
export { withHostAddresses } from './host-addresses.ts';
export { type Log, type LogFields, openLog } from './log.ts';
export { LogSink, standardError } from './log-sink.ts';
export { metricsPage } from './metrics/metrics-page.ts';
export type { Environment } from './option.ts';
export { endLog, environment, runServer } from './process.ts';
export { RefusedOption } from './refused-option.ts';
export { Server } from './server.ts';
export { handleSignals } from './signals.ts';
export type { StoreOption } from './store-option.ts';
export { storeOptions, storeVariable } from './store-options.ts';
