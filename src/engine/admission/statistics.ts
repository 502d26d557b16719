/** Counters and current values of admission, for metrics. */

export class AdmissionCounts {
  /** Programs that started in each class. A program that changed its class counts in both. */
  point = 0;
  query = 0;
  heavy = 0;
  /** Programs that were ended: by their deadline, because their client disconnected, or because of shutdown. */
  deadline = 0;
  clientGone = 0;
  stopped = 0;
}

export interface AdmissionStatistics extends Readonly<AdmissionCounts> {
  /** Programs that currently have a slot. */
  readonly running: number;
  readonly runningHeavy: number;
  /** Programs that currently wait for a slot, and their maximum so far. */
  readonly queued: number;
  readonly queuedPeak: number;
  readonly queuedHeavy: number;
  /** Programs with a slot that wait for their next time slice. */
  readonly waitingForSlice: number;
  readonly pressed: number;
  readonly behindExclusive: number;
  /** Memory of all programs: current, maximum, and number of refused reservations. */
  readonly poolUsedBytes: number;
  readonly poolPeakBytes: number;
  readonly poolRefused: number;
  /**
   * Spill files: number of open files, their current bytes, the limit of these bytes, their maximum bytes, all bytes written, and number of
   * refused spills.
   */
  readonly spillFiles: number;
  readonly spillUsedBytes: number;
  readonly spillLimitBytes: number;
  readonly spillPeakBytes: number;
  readonly spillWrittenBytes: number;
  readonly spillRefused: number;
}
