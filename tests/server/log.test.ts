/** The process log: levels and the three formats. */

import { expect, test } from 'bun:test';
import { openLog } from '#server';
import { manualWorld } from '../support/manual-world.ts';

function lines(
  format: 'text' | 'json' | 'logfmt',
  level: 'error' | 'warn' | 'info' | 'debug' = 'info',
) {
  const written: string[] = [];
  const { clock } = manualWorld();
  const sink = { write: (line: string) => void written.push(line), noticeBy: () => {} };
  const log = openLog({ level, format, clock, sink });
  return { log, written };
}

const time = '2023-11-14T22:13:21.000Z';

test('text puts the message after the event and quotes what needs it', () => {
  const { log, written } = lines('text');
  log.write('warn', 'a.b', {
    message: 'look here',
    path: '/x',
    error: 'two\nlines',
    gone: undefined,
  });
  log.write('info', 'bare');
  expect(written).toEqual([
    `${time} warn  a.b: look here path=/x error="two\\nlines"`,
    `${time} info  bare`,
  ]);
});

test('json is one document a line', () => {
  const { log, written } = lines('json');
  log.write('error', 'a.b', { n: 1, message: 'm' });
  expect(written.map((line) => JSON.parse(line))).toEqual([
    { time, level: 'error', target: 'svc', event: 'a.b', component: 'a', n: 1, message: 'm' },
  ]);
});

test('logfmt quotes spaces and equals signs', () => {
  const { log, written } = lines('logfmt');
  log.write('info', 'a.b', { message: 'm n', x: 'a=b', y: true });
  expect(written).toEqual([
    `time=${time} level=info target=svc event=a.b component=a message="m n" x="a=b" y=true`,
  ]);
});

test('what is below the level is not written', () => {
  const { log, written } = lines('text', 'warn');
  for (const level of ['error', 'warn', 'info', 'debug'] as const) log.write(level, level);
  expect(written.map((line) => line.split(' ').at(-1))).toEqual(['error', 'warn']);
  expect([log.has('warn'), log.has('info')]).toEqual([true, false]);
});
