/** The log never waits for its reader: lines queue up to a bound, then are dropped and counted, and a broken pipe is no trouble. */

import { expect, test } from 'bun:test';
import { LogSink, type LogTarget } from '../../src/server/log-sink.ts';
import { manualWorld, until } from '../support/manual-world.ts';

/** A target that takes what it gets at once until it is `stuck`, and then when it is told. */
function targetOf() {
  const taken: string[] = [];
  let isStuck = false;
  let takeMore = () => {};
  const target: LogTarget = (text) => {
    taken.push(text);
    if (!isStuck) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    takeMore = resolve;
    return promise;
  };
  const sink = new LogSink(target);
  sink.noticeBy((lines) => `dropped ${lines}`);
  return {
    sink,
    taken,
    stuck: (now: boolean) => {
      isStuck = now;
    },
    takeMore: async () => {
      takeMore();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

test('lines go out as they come', () => {
  const { sink, taken } = targetOf();
  sink.write('a');
  sink.write('b');
  expect(taken).toEqual(['a\n', 'b\n']);
});

test('lines wait while the reader does not read, and go out together when it does', async () => {
  const { sink, taken, stuck, takeMore } = targetOf();
  stuck(true);
  for (const line of ['a', 'b', 'c']) sink.write(line);
  expect(taken).toEqual(['a\n']);
  stuck(false);
  await takeMore();
  expect(taken).toEqual(['a\n', 'b\nc\n']);
  sink.write('d');
  expect(taken.at(-1)).toBe('d\n');
});

test('beyond a mebibyte lines are dropped, counted, and told later', async () => {
  const { sink, taken, stuck, takeMore } = targetOf();
  stuck(true);
  const line = 'x'.repeat(1024);
  for (let i = 0; i < 1 + 1024 + 7; i++) sink.write(line);
  expect(taken.length).toBe(1);
  expect(sink.droppedEver).toBe(7);
  stuck(false);
  await takeMore();
  expect(taken[1]?.split('\n').length).toBe(1024 + 1 + 1);
  expect(taken[1]?.endsWith('\ndropped 7\n')).toBe(true);
  sink.write('after');
  expect(taken.at(-1)).toBe('after\n');
});

test('a reader that is gone is no trouble', () => {
  const sink = new LogSink(() => {
    throw new Error('EPIPE: broken pipe, write');
  });
  for (let i = 0; i < 5; i++) sink.write('a');
  expect(sink.droppedEver).toBe(5);
});

test('a write that fails later lets the next lines go on', async () => {
  const taken: string[] = [];
  const sink = new LogSink((text) => {
    taken.push(text);
    return taken.length === 1 ? Promise.reject(new Error('EPIPE')) : undefined;
  });
  sink.write('a');
  sink.write('b');
  await Promise.resolve();
  await Promise.resolve();
  expect(taken).toEqual(['a\n', 'b\n']);
});

test('the end waits for the last lines, and not for ever', async () => {
  const world = manualWorld();
  const { sink, stuck, takeMore } = targetOf();
  expect(await sink.end(world, 1000)).toBe(true);
  stuck(true);
  sink.write('a');
  expect(await until(sink.end(world, 1000), world)).toBe(false);
  const ended = sink.end(world, 1000);
  await takeMore();
  expect(await ended).toBe(true);
});

test('no line contains a secret, whether it is written at once or later', async () => {
  const { sink, taken, stuck, takeMore } = targetOf();
  sink.write('a svck_0123456789AB_secret');
  stuck(true);
  sink.write('b');
  sink.write('{"authorization":"Bearer secret","url":"https://h/x?secret"}');
  await takeMore();
  expect(taken).toEqual([
    'a [redacted]\n',
    'b\n',
    '{"authorization":"[redacted]","url":"https://h/x"}\n',
  ]);
});
