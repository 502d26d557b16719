/** What a batch is, and how it is written: `POST /internal/statistics/observations` (operations.md §9). */

import type { Told, ToldProgram } from '#statistics';

/** Of the JSON below. Processes of different formats do not understand each other, and say so. */
export const formatVersion = 3;
export const batchBytesMax = 4 << 20;
export const corpusDocumentBytesMax = 1 << 20;

export interface Batch extends Told {
  /** How the sender calls itself; with `boot` its only name. */
  readonly instance: string;
  /** Drawn when the sender's process starts. */
  readonly boot: string;
  /** From 1 on. A batch that was given up leaves a gap; one that is sent again has the same. */
  readonly sequence: number;
  readonly sentAtMicros: number;
  /** Programs that have run, with their literals: over verified TLS alone. */
  readonly corpus: readonly ToldProgram[];
}

/** The batch of this text without its programs. */
export function withoutCorpus(body: string): string {
  return JSON.stringify({ ...JSON.parse(body), corpus: [] });
}

/** JSON text. Observations are `[part, estimated, actual, isCut]`. */
export function encodeBatch({ families, ...batch }: Batch): string {
  return JSON.stringify({
    format: formatVersion,
    ...batch,
    families: families.map(({ executions, ...family }) => ({
      ...family,
      executions: executions.map(({ observations, ...execution }) => ({
        ...execution,
        observations: observations.map(({ part, estimated, actual, isCut }) => [
          part,
          estimated,
          actual,
          isCut,
        ]),
      })),
    })),
  });
}
