import { expect, test } from 'bun:test';
import { neverYield, type Pending, runSteps, runWithoutWaiting, type Steps } from '#base';

function* counted(waits: readonly Pending[]): Steps<number> {
  let done = 0;
  for (const wait of waits) {
    yield wait;
    done++;
  }
  return done;
}

test('steps without a wait end at once', () => {
  expect(runSteps(counted([]), neverYield)).toBe(0);
  expect(runWithoutWaiting(counted([]))).toBe(0);
  expect(neverYield.pause(Infinity)).toBeUndefined();
});

test('steps go on after each wait', async () => {
  expect(await runSteps(counted([Promise.resolve(), Promise.resolve()]), neverYield)).toBe(2);
});

test('each wait is waited for, not only the first', async () => {
  const second = Promise.withResolvers<void>();
  const told: string[] = [];
  function* steps(): Steps<void> {
    yield Promise.resolve();
    told.push('first');
    yield second.promise;
    told.push('second');
  }
  const running = runSteps(steps(), neverYield);
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual(['first']);
  second.resolve();
  await running;
  expect(told).toEqual(['first', 'second']);
});

test('a wait that fails is thrown where it was waited for', async () => {
  const failed = Promise.reject(new Error('over'));
  function* guarded(): Steps<string> {
    try {
      yield failed;
    } catch (error) {
      return `caught ${(error as Error).message}`;
    }
    return 'went on';
  }
  expect(await runSteps(guarded(), neverYield)).toBe('caught over');
});

test('work that is to end at once may not wait', () => {
  expect(() => runWithoutWaiting(counted([Promise.resolve()]))).toThrow('never yields');
});
