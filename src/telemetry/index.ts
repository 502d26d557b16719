/**
 * Instruments made known to the world, by OpenTelemetry.
 *
 * Nouns: a collection is what all instruments read at one moment.
 * Invariants: nothing here runs unless somebody asks or an exporter is configured; what is shown comes from the instruments alone.
 * Start reading at `collection.ts`.
 */

export { prometheusName, prometheusText, prometheusType } from './prometheus.ts';
