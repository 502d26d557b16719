/** Fifty kills; `npm run torture` makes a thousand. */

import { expect, test } from 'bun:test';
import { torture } from './torture.ts';

test('SIGKILL under load loses nothing acknowledged and tears nothing', async () => {
  const report = await torture({
    rounds: 50,
    seed: 1,
    clients: 16,
    loadMsMax: 120,
    programBytes: 5000,
  });
  expect(report.rounds).toBe(50);
  expect(report.acknowledged).toBeGreaterThan(50);
}, 240_000);
