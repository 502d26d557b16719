/** Repetitions of the request of a migration: for 30 s after the first failure, however long the first request took. */

import { expect, test } from 'bun:test';
import { Unreachable } from '#client';
import { RetryWindow } from '../../src/cli/schema/migrate/retry-window.ts';

/** Each entry is the duration of one request in milliseconds; all fail, except an entry of the form `[ms]`. */
async function run(requests: readonly (number | readonly [number])[]) {
  let nowMs = 0;
  let sent = 0;
  const world = {
    clock: { monotonicMs: () => nowMs },
    scheduler: {
      after(ms: number, resume: () => void) {
        nowMs += ms;
        queueMicrotask(resume);
        return { cancel() {} };
      },
    },
  };
  const project = {
    database: { url: 'svc://here' },
    api: { info: async () => ({ database_id: 'd' }) },
  };
  const { signal } = new AbortController();
  const window = new RetryWindow({ world, note() {} } as never, project as never, {
    databaseId: 'd',
    signal,
  });
  const outcome = await window
    .ask(async () => {
      const request = requests[Math.min(sent, requests.length - 1)] as number | readonly [number];
      sent++;
      nowMs += typeof request === 'number' ? request : request[0];
      if (typeof request === 'number') throw new Unreachable('svc://here', 'no response');
      return 'done';
    })
    .catch((error) => error.constructor.name);
  return { outcome, sent, nowMs };
}

test('a request that hangs for its own time limit is repeated', async () => {
  expect(await run([30_000, [10]])).toEqual({ outcome: 'done', sent: 2, nowMs: 30_510 });
});

test('repetitions end 30 s after the first failure', async () => {
  expect(await run([10])).toEqual({ outcome: 'Unreachable', sent: 60, nowMs: 30_100 });
});
