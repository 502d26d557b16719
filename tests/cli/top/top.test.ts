/** `svc top`: from two looks at a server to lines. */

import { afterAll, describe, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { durationBounds } from '#observe';
import { topFacts } from '../../../src/cli/top/facts.ts';
import { Rates } from '../../../src/cli/top/rates.ts';
import { topLines } from '../../../src/cli/top/view.ts';
import { Samples } from '../../../src/client/samples.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { runCommand } from '../run.ts';
import { runWithin, shellFor } from '../within.ts';

const plain = (_style: string, text: string) => text;

const before = new Samples(`# HELP a Things.
a_total{kind="x",result="hit"} 10
a_total{kind="x",result="miss"} 10
a_total{kind="y",result="hit"} 1
b 0.5
took_bucket{le="0.001"} 5
took_bucket{le="1"} 5
took_bucket{le="+Inf"} 5
`);
const now = new Samples(`a_total{kind="x",result="hit"} 40
a_total{kind="x",result="miss"} 20
a_total{kind="y",result="hit"} 1
b 7e2
took_bucket{le="0.001"} 6
took_bucket{le="1"} 14
took_bucket{le="+Inf"} 15
`);
const rates = new Rates(before, now, 2);

describe('two looks', () => {
  test('tell what is there, and how much came in a second', () => {
    expect(rates.value('b')).toBe(700);
    expect(rates.value('nothing')).toBeUndefined();
    expect(rates.perSecond('a_total')).toBe(20);
    expect(rates.perSecond('a_total', 'kind="y"')).toBe(0);
    expect(rates.perSecond('nothing')).toBe(0);
  });

  test('tell shares of what came meanwhile, and none where nothing came', () => {
    expect(rates.share('a_total', 'result="hit"', 'kind="x"')).toBe(0.75);
    expect(rates.share('a_total', 'result="hit"', 'kind="y"')).toBeUndefined();
  });

  test('tell the bound that a part of what came meanwhile kept', () => {
    expect(rates.quantile('took', 0.1)).toBe(0.001);
    expect(rates.quantile('took', 0.5)).toBe(1);
    expect(rates.quantile('took', 0.95)).toBe(Number.POSITIVE_INFINITY);
    expect(rates.quantile('nothing', 0.5)).toBeUndefined();
  });

  test('with a restart in between tell what came since', () => {
    expect(new Rates(now, before, 1).perSecond('a_total', 'kind="x"')).toBe(20);
  });
});

describe('the view', () => {
  const nothing = topFacts(new Rates(new Samples(''), new Samples(''), 1));

  test.each([20, 40, 60, 120])('keeps to %p columns', (columns) => {
    const lines = topLines('svc top   svc://somewhere.example:7237', nothing, columns, plain);
    expect(lines.filter((line) => Bun.stringWidth(line) > columns)).toEqual([]);
    expect(lines.join(' ')).toContain('transitions');
  });

  test('shows a dash where nothing was measured, and units that fit', () => {
    const facts = {
      ...nothing,
      programs: {
        ...nothing.programs,
        active: 2,
        rate: 1234.5,
        p50: 0.0003,
        p95: 2.5,
        p99: 0.0025,
      },
      process: { ...nothing.process, residentBytes: 312 << 20, processors: 0.834 },
    };
    const text = topLines('', facts, 200, plain).join('\n');
    expect(text).toContain('2 running   1,235/s ended   p50 ≤ 300 µs   p95 ≤ 2.5 s   p99 ≤ 2.5 ms');
    expect(text).toContain('83 % of a CPU   312 MiB resident');
  });

  test('shows each bound below 1 ms in whole microseconds', () => {
    const small = durationBounds.filter((bound) => bound < 0.001);
    const shown = small.map((p50) => {
      const facts = { ...nothing, programs: { ...nothing.programs, p50 } };
      return topLines('', facts, 200, plain)
        .join('\n')
        .match(/p50 ≤ (\S+ \S+)/)?.[1];
    });
    expect(shown).toEqual(['50 µs', '100 µs', '200 µs', '300 µs', '500 µs']);
  });

  test('says loudly what is wrong', () => {
    const { store } = nothing;
    const facts = { ...nothing, store: { ...store, damaged: 2, isAvailable: false } };
    const loud = (style: string, text: string) => (style === 'red' ? text.toUpperCase() : text);
    const text = topLines('', facts, 200, loud).join('\n');
    expect(text).toContain('2 DAMAGED   THE STORAGE DOES NOT RESPOND');
  });
});

describe('the command', async () => {
  const server = await startServerProcess(['--storage', 'memory']);
  const silent = await startServerProcess(['--storage', 'memory', '--metrics', 'false']);
  afterAll(async () => {
    for (const one of [server, silent]) {
      one.kill('SIGTERM');
      await one.exited;
    }
  });
  const top = (port: number, ...more: readonly string[]) =>
    runCommand(['top', '--database-url', `svc://127.0.0.1:${port}`, ...more]);

  test('prints one look where there is no terminal', async () => {
    const { exitCode, stdout, stderr } = await top(server.port, '--interval-ms', '100');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toStartWith(`svc top   svc://127.0.0.1:${server.port}\n`);
    expect(stdout).toContain('\ncommits ');
  });

  test('prints facts with --json', async () => {
    const { exitCode, stdout } = await top(server.port, '--interval-ms', '100', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      programs: { active: 0 },
      store: { isAvailable: true },
      transitions: { active: 0, waiting: 0, failed: 0 },
    });
  });

  test.each([
    [[], 200],
    [['--once', '--interval-ms', '150'], 150],
  ])('looks twice, %p within %p ms', async (flags, expected) => {
    const world = systemWorld();
    const { scheduler } = world;
    const waits: number[] = [];
    const counting: typeof scheduler = {
      yield: () => scheduler.yield(),
      afterTurn: (task) => scheduler.afterTurn(task),
      after: (delayMs, task) => {
        const isDeadline = delayMs >= 10_000;
        if (!isDeadline) waits.push(delayMs);
        return scheduler.after(isDeadline ? delayMs : 1, task);
      },
    };
    const { shell } = shellFor({ mode: 'json', world: { ...world, scheduler: counting } });
    const url = `svc://127.0.0.1:${server.port}`;
    const { exitCode } = await runWithin(shell, ['top', '--database-url', url, ...flags]);
    expect([exitCode, waits]).toEqual([0, [expected]]);
  });

  test('says that a server measures nothing', async () => {
    const { exitCode, stderr } = await top(silent.port);
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith('error: metrics are off (--metrics false)');
  });

  test('refuses an interval that is none', async () => {
    const { exitCode, stderr } = await top(server.port, '--interval-ms', '99');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Expected an integer from 100 to 3600000');
  });
});
