/** What an orderly stop waits for: the moment in which no request is worked on. */

import { expect, test } from 'bun:test';
import { Activity } from '../../../src/http/edge/activity.ts';

test.each([1, 2, 3])(
  '%d who wait are told when the last request ends, and not before',
  async (count) => {
    const activity = new Activity();
    activity.enter();
    activity.enter();
    let told = 0;
    for (let i = 0; i < count; i++) void activity.quiet().then(() => told++);
    const ticks = async () => {
      for (let i = 0; i < 10; i++) await Promise.resolve();
    };
    activity.leave();
    await ticks();
    expect([activity.isQuiet, told]).toEqual([false, 0]);
    activity.leave();
    await ticks();
    expect([activity.isQuiet, told]).toEqual([true, count]);
    activity.enter();
    activity.leave();
    await ticks();
    expect(told).toBe(count);
  },
);

test('without a request nothing is waited for', async () => {
  await new Activity().quiet();
});
