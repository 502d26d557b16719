/** Waiting for durable work: how long, what is shown meanwhile, and how it ends. */

import { describe, expect, test } from 'bun:test';
import type { SchemaApi, WireTransition } from '#client';
import { CommandFailure } from '../../src/cli/frame/command-failure.ts';
import { awaitTransitions } from '../../src/cli/schema/transitions/await-transitions.ts';
import {
  transitionLine,
  transitionTable,
} from '../../src/cli/schema/transitions/show-transition.ts';
import { manualWorld, until } from '../support/manual-world.ts';
import { answering, projectAt, runWithin, shellFor, transitionIn } from './within.ts';

/** Answers of each transition in turn, the last one for ever. */
function apiOf(histories: Readonly<Record<string, readonly WireTransition[]>>) {
  const asked: string[] = [];
  const turns = new Map<string, number>();
  const transition = async (id: string): Promise<WireTransition> => {
    asked.push(id);
    const history = histories[id] as readonly WireTransition[];
    const turn = turns.get(id) ?? 0;
    turns.set(id, turn + 1);
    return history[Math.min(turn, history.length - 1)] as WireTransition;
  };
  return { api: { transition } as unknown as SchemaApi, asked };
}

const building = (rows: number, generation: number, id = 'tr1') =>
  transitionIn('building', { transition_id: id, rows_scanned: rows, generation });
const ready = (id = 'tr1') =>
  transitionIn('ready', { transition_id: id, generation: 9, rows_scanned: 3000 });

async function failureOf(work: Promise<unknown>): Promise<CommandFailure['facts']> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof CommandFailure) return error.facts;
  throw error ?? new Error('expected a failure');
}

describe('it ends', () => {
  test('when all are ready, in the order in which they were asked for', async () => {
    const world = manualWorld();
    const { shell } = shellFor({ world });
    const { api } = apiOf({ a: [building(1, 1, 'a'), ready('a')], b: [ready('b')] });
    const waiting = awaitTransitions(shell, api, ['a', 'b'], { pollMs: 100 });
    const states = (await until(waiting, world)).map(({ transition_id: id }) => id);
    expect(states).toEqual(['a', 'b']);
    expect(world.clock.monotonicMs()).toBe(1100);
  });

  test('at once when there is nothing to wait for', async () => {
    const { shell } = shellFor({ world: manualWorld() });
    expect(await awaitTransitions(shell, apiOf({}).api, [], { pollMs: 100 })).toEqual([]);
  });

  test.each([
    ['failed', { last_error: 'two rows' }, 'tr1 failed: two rows'],
    ['failed', {}, 'tr1 failed: no reason was recorded'],
    ['cancelled', {}, 'tr1 was cancelled'],
  ])('when one is %s %j', async (state, more, message) => {
    const { shell } = shellFor({ world: manualWorld() });
    const { api } = apiOf({ tr1: [transitionIn(state, more)] });
    const failure = await failureOf(awaitTransitions(shell, api, ['tr1'], { pollMs: 1 }));
    expect(failure).toMatchObject({ code: 'transition_terminal_failure', message });
  });

  test('when the time is over, and says what is still under way', async () => {
    const world = manualWorld();
    const { shell } = shellFor({ world });
    const { api, asked } = apiOf({ a: [building(1, 1, 'a')], b: [ready('b')] });
    const limits = { pollMs: 100, timeoutMs: 1000 };
    const failure = await until(failureOf(awaitTransitions(shell, api, ['a', 'b'], limits)), world);
    expect(failure).toMatchObject({
      code: 'transition_wait_timeout',
      message: 'timed out: a is building',
      details: { transitions: [building(1, 1, 'a')] },
    });
    expect(world.clock.monotonicMs()).toBe(2000);
    expect(asked.filter((id) => id === 'a')).toHaveLength(11);
  });
});

describe('meanwhile', () => {
  const history = [building(0, 1), building(0, 1), building(2000, 2), ready()];

  test('JSON mode tells each change once, with its rate', async () => {
    const world = manualWorld();
    const { shell, said } = shellFor({ world, mode: 'json', isTerminal: true });
    await until(
      awaitTransitions(shell, apiOf({ tr1: history }).api, ['tr1'], { pollMs: 500 }),
      world,
    );
    const events = said.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map((event) => [event['state'], event['generation']])).toEqual([
      ['building', 1],
      ['building', 2],
      ['ready', 9],
    ]);
    expect(events.map((event) => event['rows_per_second'])).toEqual([0, 2000, 2000]);
    expect(events[0]).toMatchObject({ event: 'transition', transition_id: 'tr1', rows_scanned: 0 });
  });

  test('a terminal shows a line that turns, and is cleared at the end', async () => {
    const world = manualWorld();
    const { shell, said, redrawn } = shellFor({ world, isTerminal: true });
    await until(
      awaitTransitions(shell, apiOf({ tr1: history }).api, ['tr1'], { pollMs: 500 }),
      world,
    );
    expect(said).toEqual([]);
    expect(redrawn).toEqual([
      '⠋ ix5  building, 0 rows',
      '⠙ ix5  building, 0 rows',
      '⠹ ix5  building, 2,000 rows',
      '',
      '',
    ]);
  });

  test('a pipe shows nothing', async () => {
    const world = manualWorld();
    const { shell, said, redrawn } = shellFor({ world });
    await until(
      awaitTransitions(shell, apiOf({ tr1: history }).api, ['tr1'], { pollMs: 500 }),
      world,
    );
    expect([...said, ...redrawn]).toEqual([]);
  });

  test('the time in which it waits for others is none of its work', async () => {
    const world = manualWorld();
    const { shell, said } = shellFor({ world, mode: 'json' });
    const history = [
      transitionIn('waiting', { generation: 1 }),
      transitionIn('waiting', { generation: 1 }),
      building(1000, 2),
      ready(),
    ];
    await until(
      awaitTransitions(shell, apiOf({ tr1: history }).api, ['tr1'], { pollMs: 1000 }),
      world,
    );
    expect(said.map((line) => JSON.parse(line).rows_per_second)).toEqual([0, 1000, 1500]);
  });

  test('the rate counts from where the waiting began', async () => {
    const world = manualWorld();
    const { shell, said } = shellFor({ world, mode: 'json' });
    const late = [
      building(5000, 3),
      building(5100, 4),
      transitionIn('ready', { rows_scanned: 5100 }),
    ];
    await until(
      awaitTransitions(shell, apiOf({ tr1: late }).api, ['tr1'], { pollMs: 1000 }),
      world,
    );
    expect(said.map((line) => JSON.parse(line).rows_per_second)).toEqual([0, 100, 50]);
  });
});

describe('a database that is not open yet', () => {
  const closed = (reason: string) => () =>
    Response.json(
      { status: 503, title: 'T', code: 'internal', reason, detail: 'the database is not open' },
      { status: 503 },
    );
  const refused = async (reason: string) => {
    const world = manualWorld();
    const { shell, said } = shellFor({ world });
    using server = answering({ 'GET /info': closed(reason) });
    const argv = ['schema', 'pull', '--config', projectAt(server.url)];
    const pulling = runWithin(shell, argv);
    let isOver = false;
    const over = () => (isOver = true);
    pulling.then(over, over);
    while (!isOver) {
      if (world.pending.includes(250)) world.advance(250);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { trouble } = await pulling;
    return { said, asked: server.requests.length, code: trouble?.code };
  };

  test('is waited for half a minute', async () => {
    const { said, asked, code } = await refused('storage_unavailable');
    expect([asked, code]).toEqual([121, 'internal']);
    expect(
      said.filter((line) => line.includes('is not open yet; waiting up to 30 s')),
    ).toHaveLength(1);
  });

  test('is told from one that has too much to do', async () => {
    expect(await refused('overloaded')).toMatchObject({ asked: 1 });
  });
});

describe('a transition in words', () => {
  test('one line', () => {
    expect(transitionLine(building(12_345, 1))).toBe(
      'tr1  index_build  ix5  building  12,345 rows',
    );
    const gated = transitionIn('failed', { retained_work_state: 'write_gated', last_error: 'why' });
    expect(transitionLine(gated)).toBe('tr1  index_build  ix5  failed  0 rows  write_gated  why');
  });

  test('a table whose columns are as wide as they must be', () => {
    expect(transitionTable([])).toBe('No transitions.');
    const rows = [building(1234, 1), transitionIn('failed', { last_error: 'why' })];
    expect(transitionTable(rows).split('\n')).toEqual([
      'ID   KIND         OBJECT  STATE     ROWS   ERROR',
      'tr1  index_build  ix5     building  1,234',
      'tr1  index_build  ix5     failed    0      why',
    ]);
  });
});

describe('svc schema transitions', () => {
  const path = '/schema/transitions';

  test('list asks for kinds and states as the server names them', async () => {
    const list = { transitions: [building(1, 1)] };
    using server = answering({
      [`GET ${path}`]: list,
      [`GET ${path}?kind=index_build&state=catching_up`]: { transitions: [] },
    });
    const config = projectAt(server.url);
    const { shell } = shellFor();
    const all = await runWithin(shell, ['schema', 'transitions', 'list', '--config', config]);
    expect(all.stdout).toStartWith('ID ');
    const flags = ['--kind', 'index-build', '--state', 'catching-up', '--config', config];
    const some = await runWithin(shell, ['schema', 'transitions', 'list', ...flags]);
    expect(some).toMatchObject({ exitCode: 0, stdout: 'No transitions.' });
  });

  test('wait looks again until the time is over, in seconds', async () => {
    const world = manualWorld();
    using server = answering({ [`GET ${path}/tr1`]: building(1, 1) });
    const { shell } = shellFor({ world: { ...world, scheduler: { ...world.scheduler } } });
    const argv = ['schema', 'transitions', 'wait', 'tr1', '--config', projectAt(server.url)];
    const polls = ['--interval-ms', '1500', '--timeout-seconds', '3'];
    const waiting = runWithin(shell, [...argv, ...polls]);
    for (let round = 0; round < 2; round++) {
      while (!world.pending.includes(1500)) await world.scheduler.yield();
      world.advance(1500);
    }
    expect((await waiting).trouble).toMatchObject({ code: 'transition_wait_timeout' });
    expect(server.requests).toHaveLength(3);
  });

  test.each(['0', '-1', '1.5', 'x', '1234567890'])('wait refuses an interval of %s', async (n) => {
    const { shell } = shellFor();
    const { write } = process.stderr;
    process.stderr.write = () => true;
    const argv = ['schema', 'transitions', 'wait', 'tr1', `--interval-ms=${n}`];
    const { exitCode } = await runWithin(shell, argv).finally(() => (process.stderr.write = write));
    expect(exitCode).toBe(2);
  });

  test('cancel asks, shows what it is about, and does nothing without a yes', async () => {
    using server = answering({
      [`GET ${path}/tr1`]: building(7, 1),
      [`POST ${path}/tr1/cancel`]: transitionIn('cancelled'),
    });
    const argv = ['schema', 'transitions', 'cancel', 'tr1', '--config', projectAt(server.url)];
    const cancels = () => server.requests.filter((request) => request.startsWith('POST')).length;
    const nobody = await runWithin(shellFor().shell, argv);
    expect(nobody.trouble).toMatchObject({ code: 'confirmation_required', exitCode: 5 });
    const reluctant = shellFor({ answers: ['n'] });
    const refused = await runWithin(reluctant.shell, argv);
    expect(refused.trouble).toMatchObject({
      code: 'transition_cancellation_cancelled',
      exitCode: 5,
    });
    expect(reluctant.said.join('\n')).toContain('tr1  index_build  ix5  building  7 rows');
    expect(cancels()).toBe(0);
    const agreed = await runWithin(shellFor({ answers: ['y'] }).shell, argv);
    expect(agreed.stdout).toContain('cancelled');
    expect((await runWithin(shellFor().shell, [...argv, '--yes'])).exitCode).toBe(0);
    expect(cancels()).toBe(2);
  });
});
