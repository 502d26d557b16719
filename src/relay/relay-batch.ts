/** The batch and its encoding: `POST /internal/statistics/observations` (docs/relay.md). */

import type { Told, ToldProgram } from '#statistics';

/** Version of the JSON encoding below. A process rejects batches of another format and reports both formats. */
export const formatVersion = 3;
export const batchBytesMax = 4 << 20;
export const corpusDocumentBytesMax = 1 << 20;

export interface RelayBatch extends Told {
  /** Name of the sender. Together with `boot` it identifies the sender. */
  readonly instance: string;
  /** A random value that is drawn when the process of the sender starts. */
  readonly boot: string;
  /** Number of the batch, from 1. An abandoned batch leaves a gap in the numbers. A batch that is sent again keeps its number. */
  readonly sequence: number;
  readonly sentAtMicros: number;
  /** Executed programs with their literals. They are sent only over verified TLS. */
  readonly corpus: readonly ToldProgram[];
}

/** Returns the batch of this text without its programs. */
export function withoutCorpus(body: string): string {
  return JSON.stringify({ ...JSON.parse(body), corpus: [] });
}

/** Encodes a batch as JSON. An observation is encoded as `[part, estimated, actual, isCut]`. */
export function encodeBatch({ families, ...batch }: RelayBatch): string {
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
