/** Several key ranges as one cursor. */

import { expect, test } from 'bun:test';
import type { EntryCursor, KeyRange, ReadView } from '#storage';
import { RangesCursor } from '../../src/executor/operators/scan/ranges-cursor.ts';

test('thousands of ranges without a row give way between them', async () => {
  let opened = 0;
  const empty = { next: () => false, close: () => {} } as Partial<EntryCursor> as EntryCursor;
  const view: Pick<ReadView, 'scan'> = {
    scan: () => {
      opened++;
      return empty;
    },
  };
  let work = 0;
  const pace = {
    pause: (rows: number) => {
      work += rows;
      if (work < 1024) return undefined;
      work = 0;
      return Promise.resolve();
    },
  };
  const key = new Uint8Array(1);
  const ranges = Array.from({ length: 3000 }, (): KeyRange => ({ from: key, to: key }));
  const cursor = new RangesCursor(view as ReadView, ranges, 'forward', pace);
  let stretch = 0;
  for (let step = cursor.next(); step !== false; step = cursor.next()) {
    expect(opened - stretch).toBeLessThanOrEqual(8);
    stretch = opened;
    await step;
  }
  expect(opened).toBe(3000);
});
