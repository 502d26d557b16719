/**
 * Publishes instruments and spans in the formats of OpenTelemetry and Prometheus.
 *
 * Nouns: a collection contains the values of all instruments at one moment.
 * Invariants: no code here runs unless a client requests metrics or an exporter is configured. All published values come
 * from the instruments.
 * Start reading at `collection.ts`.
 */

export { exportMetrics, resourceOf, spanProcessor } from './otlp.ts';
export { prometheusName, prometheusText, prometheusType } from './prometheus.ts';
export { type Sampling, samplerNames, samplingOf } from './sampling.ts';
export { type RequestTrace, Tracing, type Work } from './tracing.ts';
