/** The sender: a batch a second, held while the peer cannot take it, given up after three repetitions. */

import { expect, test } from 'bun:test';
import { Sender } from '#relay';
import type { Told, ToldProgram } from '#statistics';
import { manualWorld } from '../support/manual-world.ts';
import { told } from './support.ts';

type Answer = number | 'unreachable';

function sender(...answers: Answer[]) {
  return senderWith({}, ...answers);
}

function senderWith({ isConfidential = false }, ...answers: Answer[]) {
  const world = manualWorld();
  const bodies: {
    sequence: number;
    boot: string;
    families: unknown[];
    corpus: unknown[];
  }[] = [];
  const states: string[] = [];
  const pending: Told[] = [];
  const programs: ToldProgram[] = [];
  const one = new Sender({
    world,
    instance: 'reader-0',
    take: () => pending.shift(),
    takePrograms: () => programs.splice(0),
    isConfidential,
    post: async (body) => {
      bodies.push(JSON.parse(body));
      const answer = answers.shift() ?? 202;
      if (answer === 'unreachable') throw new Error('refused');
      return { status: answer, reason: 'said' };
    },
    onState: (state) => void states.push(state),
  });
  one.start();
  const pass = async (ms: number) => {
    world.advance(ms);
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };
  return { one, bodies, states, pending, programs, pass };
}

test('batches are numbered; without anything to tell there is none', async () => {
  const { one, bodies, pending, pass, states } = sender();
  await pass(1_000);
  expect([bodies.length, one.report().state]).toEqual([0, 'idle']);
  pending.push(told, told);
  await pass(1_300);
  await pass(1_300);
  expect(bodies.map((it) => it.sequence)).toEqual([1, 2]);
  expect(bodies[0]?.boot).toMatch(/^[0-9a-f]{32}$/);
  expect(bodies[1]?.boot).toBe(bodies[0]?.boot as string);
  expect(one.report()).toEqual({
    state: 'connected',
    sent: 2,
    abandoned: 0,
    rejected: 0,
    holding: false,
    corpusSent: 0,
    corpusWithheld: 0,
  });
  expect(states).toEqual(['connected']);
});

test('who cannot take it gets the same batch again, later and later', async () => {
  const { one, bodies, pending, pass, states } = sender(429, 'unreachable', 401, 202);
  pending.push(told);
  await pass(1_300);
  expect(one.report()).toMatchObject({ state: 'retrying', holding: true, abandoned: 0 });
  await pass(1_300);
  expect(bodies.length).toBe(2);
  await pass(1_300);
  expect(bodies.length).toBe(2);
  await pass(1_300);
  expect(bodies.length).toBe(3);
  await pass(5_000);
  expect(bodies.map((it) => it.sequence)).toEqual([1, 1, 1, 1]);
  expect(one.report()).toMatchObject({ state: 'connected', holding: false, sent: 1 });
  expect(states).toEqual(['retrying', 'connected']);
});

test('after three repetitions it is given up, and that is said until one is taken', async () => {
  const { one, bodies, pending, pass } = sender(503, 503, 503, 503);
  pending.push(told);
  for (let i = 0; i < 4; i++) await pass(5_000);
  expect(bodies.length).toBe(4);
  expect(one.report()).toMatchObject({ state: 'losing', holding: false, abandoned: 1 });
  pending.push(told);
  await pass(5_000);
  expect(bodies[4]?.sequence).toBe(2);
  expect(one.report()).toMatchObject({ state: 'connected', sent: 1, abandoned: 1 });
});

test('what is refused for good is not sent again', async () => {
  const { one, bodies, pending, pass } = sender(400, 403, 413);
  pending.push(told, told, told);
  for (let i = 0; i < 4; i++) await pass(1_300);
  expect(bodies.map((it) => it.sequence)).toEqual([1, 2, 3]);
  expect(one.report()).toMatchObject({ state: 'losing', rejected: 3, abandoned: 0 });
});

test('at the end what is held and what there is goes out, once', async () => {
  const one = sender(503);
  one.pending.push(told);
  await one.pass(1_300);
  one.pending.push(told);
  await one.one.stop();
  expect(one.bodies.map((it) => it.sequence)).toEqual([1, 1, 2]);
  await one.pass(60_000);
  expect(one.bodies.length).toBe(3);
  const lost = sender(503, 'unreachable');
  lost.pending.push(told);
  await lost.pass(1_300);
  lost.pending.push(told);
  await lost.one.stop();
  expect(lost.bodies.length).toBe(2);
  expect(lost.one.report()).toMatchObject({ abandoned: 1 });
});

test('a stop sends 16 batches at most', async () => {
  const { one, bodies, pending } = sender();
  for (let i = 0; i < 20; i++) pending.push(told);
  await one.stop();
  expect(bodies.map((it) => it.sequence)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
});

test('a batch of more than 4 MiB is abandoned, and the next one goes', async () => {
  const { one, bodies, pending, pass } = sender();
  const [family] = told.families as [Told['families'][number]];
  pending.push({ ...told, families: [{ ...family, plan: 'x'.repeat(4 << 20) }] });
  await pass(1_300);
  expect(bodies).toEqual([]);
  expect(one.report()).toMatchObject({ state: 'losing', abandoned: 1, holding: false });
  pending.push(told);
  await pass(1_300);
  expect(bodies.map((it) => it.sequence)).toEqual([2]);
  expect(one.report()).toMatchObject({ state: 'connected', abandoned: 1, sent: 1 });
});

const program = { document: '{"statements":[]}', executions: 2 };

test('programs go over a confidential way, also without anything else', async () => {
  const { one, bodies, pending, programs, pass } = senderWith({ isConfidential: true }, 429, 202);
  programs.push(program, program);
  await pass(1_300);
  expect(bodies[0]).toMatchObject({ corpus: [program, program], families: [] });
  expect(one.report()).toMatchObject({ corpusSent: 0, corpusWithheld: 0, holding: true });
  await pass(1_300);
  expect(one.report()).toMatchObject({ corpusSent: 2, corpusWithheld: 0, sent: 1 });
  pending.push(told);
  await pass(1_300);
  expect(bodies[2]?.corpus).toEqual([]);
  expect(one.report()).toMatchObject({ corpusSent: 2, sent: 2 });
});

test('without one they are withheld and counted, and the rest goes', async () => {
  const { one, bodies, pending, programs, pass } = sender();
  programs.push(program);
  await pass(1_300);
  expect(bodies).toEqual([]);
  programs.push(program);
  pending.push(told);
  await pass(1_300);
  expect(bodies.map(({ corpus }) => corpus)).toEqual([[]]);
  expect(one.report()).toMatchObject({ corpusSent: 0, corpusWithheld: 2, sent: 1 });
});

test('a peer that refuses them gets the rest at once, and none for a minute', async () => {
  const { one, bodies, pending, programs, pass } = senderWith({ isConfidential: true }, 403, 202);
  programs.push(program);
  pending.push(told);
  await pass(1_300);
  expect(bodies.map(({ sequence, corpus }) => [sequence, corpus.length])).toEqual([
    [1, 1],
    [1, 0],
  ]);
  expect(bodies[1]?.families).toEqual(bodies[0]?.families as unknown[]);
  programs.push(program);
  await pass(1_300);
  expect(one.report()).toMatchObject({ corpusWithheld: 2, corpusSent: 0, sent: 1, rejected: 0 });
  await pass(60_000);
  programs.push(program);
  await pass(1_300);
  expect(one.report()).toMatchObject({ corpusWithheld: 2, corpusSent: 1 });
});
