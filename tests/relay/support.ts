/** A batch as another process sends it, and a world for sender and receiver. */

import { encodeBatch, type RelayBatch } from '#relay';
import type { Told } from '#statistics';

export const told: Told = {
  families: [
    {
      family: `2-sha256-${'0'.repeat(32)}`,
      ground: '7 8,9',
      stamp: '7 0 3',
      plan: 'scan',
      executions: [
        {
          rows: 5,
          micros: 12.5,
          variant: 42,
          observations: [{ part: 's', estimated: 3.5, actual: 5, isCut: false }],
          work: {
            gets: 1,
            puts: 0,
            deletes: 0,
            scans: 2,
            iterated: 5,
            bytesRead: 80,
            bytesWritten: 0,
          },
        },
        { rows: 1, micros: undefined, variant: 7, observations: [], work: undefined },
      ],
    },
  ],
  frequency: [{ family: `2-sha256-${'1'.repeat(32)}`, rows: 3, count: 2 }],
};

export function batchOf(changes: Partial<RelayBatch> = {}): RelayBatch {
  const source = { instance: 'reader-0', boot: 'b', sequence: 1, sentAtMicros: 1 };
  return { ...source, corpus: [], ...told, ...changes };
}

/** The JSON of a batch with members replaced. */
export function textOf(changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...JSON.parse(encodeBatch(batchOf())), ...changes });
}
