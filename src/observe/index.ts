/**
 * What is worth observing, as plain counters and the instruments that tell of them; no exporter.
 *
 * Nouns: a meter is counted into while requests run, in plain numbers; an instrument has a name, a unit and a meaning, and reads what somebody has
 * counted when it is asked; a point is one of its values, with attributes.
 * Invariants: attributes are of few values each (never a name that a user gave, a key, an address or a fingerprint); counting allocates nothing.
 * Start reading at `instrument.ts`.
 */

export {
  DurationHistogram,
  durationBounds,
  type Histogram,
  RowHistogram,
  rowBounds,
} from './histogram.ts';
export {
  type Attributes,
  counter,
  durations,
  gauge,
  type Instrument,
  type Point,
  pointsMax,
  rowCounts,
  upDownCounter,
} from './instrument.ts';
export { JobMeter } from './job-meter.ts';
export { ProgramMeter } from './program-meter.ts';
export { RequestMeter } from './request-meter.ts';
export { StatementMeter } from './statement-meter.ts';
