/**
 * Instruments made known to the world, by OpenTelemetry.
 *
 * Nouns: a collection is what all instruments read at one moment.
 * Invariants: nothing here runs unless somebody asks or an exporter is configured; what is shown comes from the instruments alone.
 * Start reading at `collection.ts`.
 */

export { exportMetrics, resourceOf, spanProcessor } from './otlp.ts';
export { prometheusName, prometheusText, prometheusType } from './prometheus.ts';
export { type Sampling, samplerNames, samplingOf } from './sampling.ts';
export { type RequestTrace, Tracing, type Work } from './tracing.ts';
