/** Long bodies are parsed one at a time; one that is given up keeps nobody waiting. */

import { expect, test } from 'bun:test';
import { neverYield } from '#base';
import { parseBody } from '../../../src/http/edge/body.ts';
import { OneAtATime } from '../../../src/http/edge/one-at-a-time.ts';
import { outcomeOf } from '../../support/outcome.ts';

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

function task(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = () => {
    log.push(name);
    return promise;
  };
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

test('the next begins when the one before is over, however it ended', async () => {
  const line = new OneAtATime();
  const log: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => task(log, name)) as [
    ReturnType<typeof task>,
    ReturnType<typeof task>,
    ReturnType<typeof task>,
  ];
  const first = line.run(a.work, neverYield);
  const second = line.run(b.work, neverYield);
  const third = line.run(c.work, neverYield);
  await settled();
  expect(log).toEqual(['a']);
  a.end();
  expect(await first).toBe('a');
  await settled();
  expect(log).toEqual(['a', 'b']);
  b.fail();
  expect(await outcomeOf(second)).toThrow('b');
  c.end();
  expect(await third).toBe('c');
  expect(log).toEqual(['a', 'b', 'c']);
});

test('one that is ended while it waits begins never, and those behind keep their order', async () => {
  const line = new OneAtATime();
  const log: string[] = [];
  const a = task(log, 'a');
  const first = line.run(a.work, neverYield);
  const gone = Promise.reject(new Error('the client has gone'));
  const second = line.run(task(log, 'b').work, { wait: () => gone });
  expect(await outcomeOf(second)).toThrow('gone');
  const third = line.run(() => log.push('c'), neverYield);
  await settled();
  expect(log).toEqual(['a']);
  a.end();
  await first;
  await third;
  expect(log).toEqual(['a', 'c']);
});

test('of long bodies the second is begun when the first is whole; a short one waits for nobody', async () => {
  const turns: (() => void)[] = [];
  const pace = (asked: number[], number: number) => ({
    wait: <T>(pending: Promise<T>) => pending,
    pause: () => {
      asked.push(number);
      return new Promise<void>((resolve) => void turns.push(resolve));
    },
  });
  const reading = { limits: { depthMax: 10 }, parsing: new OneAtATime() };
  const long = `[${'1,'.repeat(50_000)}1]`;
  const asked: number[] = [];
  const first = parseBody(reading, long, pace(asked, 1));
  const second = parseBody(reading, long, pace(asked, 2));
  expect(parseBody(reading, '[1]', neverYield)).toEqual([1]);
  await settled();
  for (let next = turns.shift(); next !== undefined; next = turns.shift()) {
    next();
    await settled();
  }
  expect(await first).toHaveLength(50_001);
  expect(await second).toHaveLength(50_001);
  expect(asked.indexOf(2)).toBeGreaterThan(asked.lastIndexOf(1));
  expect(asked.filter((number) => number === 1).length).toBeGreaterThan(1);
});
