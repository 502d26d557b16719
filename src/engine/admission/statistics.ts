/** What the admission has done and holds, for whoever watches the server. */

export class AdmissionCounts {
  /** Programs that began in each class; one that grew out of a class counts in both. */
  point = 0;
  query = 0;
  heavy = 0;
  /** Programs that were ended: by the deadline, because their client had gone, because the server stopped. */
  deadline = 0;
  clientGone = 0;
  stopped = 0;
}

export interface AdmissionStatistics extends Readonly<AdmissionCounts> {
  /** Programs that have a slot now. */
  readonly running: number;
  readonly runningHeavy: number;
  /** Programs that wait for a slot now, and the most that ever did. */
  readonly queued: number;
  readonly queuedPeak: number;
  readonly queuedHeavy: number;
  /** Programs with a slot that wait for their next slice. */
  readonly waitingForSlice: number;
  readonly pressed: number;
  readonly behindExclusive: number;
  /** Memory of all programs: now, at most, and how often it was refused. */
  readonly poolUsedBytes: number;
  readonly poolPeakBytes: number;
  readonly poolRefused: number;
  /** What programs have put down on the local disk: open files and their bytes now, at most, since the start, and how often there was no room. */
  readonly spillFiles: number;
  readonly spillUsedBytes: number;
  readonly spillPeakBytes: number;
  readonly spillWrittenBytes: number;
  readonly spillRefused: number;
}
