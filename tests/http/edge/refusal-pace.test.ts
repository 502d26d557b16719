/** Responses to clients without a valid token are spread over iterations of the event loop. */

import { expect, test } from 'bun:test';
import { RefusalPace } from '../../../src/http/edge/refusal-pace.ts';

/** After all that is ready has run. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

test('four get a response in an iteration, the others in the next ones, in order', async () => {
  let ending: (() => void)[] = [];
  const pace = new RefusalPace({
    yield: () => new Promise<void>((resolve) => void ending.push(resolve)),
  });
  const turn = async () => {
    const due = ending;
    ending = [];
    for (const resolve of due) resolve();
    await settled();
  };
  const served: number[] = [];
  const refuse = async (number: number) => {
    const wait = pace.enter();
    if (wait !== undefined) await wait;
    served.push(number);
  };
  for (let i = 0; i < 10; i++) void refuse(i);
  await settled();
  expect(served).toEqual([0, 1, 2, 3]);
  await turn();
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  void refuse(10);
  await turn();
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await turn();
  // Without a request, no iteration is counted.
  expect(ending.length).toBe(0);
  expect(pace.enter()).toBeUndefined();
});
