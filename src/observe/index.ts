/**
 * Plain counters, and the instruments that publish them. Contains no exporter.
 *
 * Nouns: a meter counts in plain numbers while requests run. An instrument has a name, a unit and a description, and
 * reads the counts of a meter when it is read. A point is one value of an instrument, with its attributes.
 * Invariants: an attribute has few distinct values. Its value is never a name that a user chose, a key, an address or a
 * fingerprint. Counting allocates nothing.
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
