/** The collector: what executions tell about a family, when plans are made anew, and what becomes of what finds no room. */

import { describe, expect, test } from 'bun:test';
import { Log2Histogram } from '#base';
import { Feedback, type Model, type Observation, type Subject } from '#statistics';
import { hashOf } from '../../../src/statistics/sketch/value-hash.ts';
import { manualWorld } from '../../support/manual-world.ts';

interface Told {
  readonly stamp?: string;
  readonly plan?: string;
  readonly ground?: string;
  readonly rows?: number;
  readonly micros?: number;
  readonly variant?: number;
}

function subjectOf(family: string, { stamp = 's', plan = 'p', ground = 'g' }: Told = {}): Subject {
  const relationOf = (part: string) => `${family}/${part}`;
  return { family, stamp, plan, ground, model: undefined, relationOf };
}

function collector() {
  const world = manualWorld();
  const feedback = new Feedback(world);
  const offer = (family: string, observations: readonly Observation[], told: Told = {}) => {
    const { rows = 5, micros = 100, variant = 1 } = told;
    feedback.offer(subjectOf(family, told), rows, micros, variant, observations, undefined);
  };
  /** Told and published. */
  const add = (...told: Parameters<typeof offer>) => {
    offer(...told);
    feedback.publish();
  };
  const statement = (family: string): Model => {
    feedback.drain();
    return feedback.modelOf(family) as Model;
  };
  return { world, feedback, offer, add, statement };
}

const of = (estimated: number, actual: number, isCut = false, part = 'a'): Observation => {
  return { part, estimated, actual, isCut };
};
const seenIn = (feedback: Feedback, family: string, ...parts: readonly string[]) =>
  parts.map((part) => feedback.seenBy(family)?.get(part));

test('an answer that was known is an appearance with its rows, and no execution', () => {
  const { feedback, add, statement } = collector();
  feedback.appeared('f', 9);
  expect(feedback.modelOf('f')).toBe(undefined);
  add('f', [], { rows: 5, micros: 100 });
  feedback.appeared('f', 1_000);
  const model = statement('f');
  expect([model.executions, model.micros.total, model.rows.total]).toEqual([1, 1, 2]);
  expect([model.rows.maximum, feedback.frequencyOf(model), feedback.absorbed]).toEqual([
    1_000, 2, 1,
  ]);
});

describe('histograms', () => {
  test('have a bucket for each length in bits, and bounds that are never above the maximum', () => {
    const histogram = new Log2Histogram();
    expect(histogram.quantile(0.5)).toBe(0);
    for (const value of [0, 1, 2, 3, 4, 1_000]) histogram.add(value);
    expect([0, 0.17, 0.5, 0.66, 0.83, 0.95].map((share) => histogram.quantile(share))).toEqual([
      0, 1, 3, 3, 7, 1_000,
    ]);
    expect(histogram.maximum).toBe(1_000);
    const exact = new Log2Histogram();
    exact.add(1_023);
    exact.add(1_024);
    expect([exact.quantile(0.5), exact.quantile(1)]).toEqual([1_023, 1_024]);
  });
});

describe('a family', () => {
  test('is planned with what was seen after the second miss by ten times, once', () => {
    const { feedback, add } = collector();
    add('f', [of(10, 5_000), of(100, 100, false, 'b')]);
    expect(feedback.correctionOf('f')).toBe(0);
    add('f', [of(10, 7_000), of(100, 100, false, 'b')]);
    expect(feedback.correctionOf('f')).toBe(1);
    expect(seenIn(feedback, 'f', 'a', 'b')).toEqual([6_000, 100]);
    for (let i = 0; i < 10; i++) add('f', [of(6_000, 1)]);
    expect(feedback.correctionOf('f')).toBe(1);
    expect(feedback.seenBy('f')?.get('a')).toBe(6_000);
  });

  test('begins anew when its tables have', () => {
    const { feedback, add } = collector();
    for (let i = 0; i < 2; i++) add('f', [of(10, 5_000)]);
    expect(feedback.correctionOf('f')).toBe(1);
    add('f', [of(10, 5_000)], { stamp: 't' });
    expect([feedback.correctionOf('f'), feedback.seenBy('f')]).toEqual([0, undefined]);
    add('f', [of(10, 5_000)], { stamp: 't' });
    expect(feedback.correctionOf('f')).toBe(2);
  });

  test.each([
    ['within ten times', of(1_000, 9_999)],
    ['of few rows', of(1, 999)],
    ['that was cut short', of(100_000, 10, true)],
  ])('whose estimate was %s is left alone', (_, observation) => {
    const { feedback, add } = collector();
    for (let i = 0; i < 5; i++) add('f', [observation]);
    expect(feedback.correctionOf('f')).toBe(0);
  });

  test('that was cut short but had more rows than estimated has missed', () => {
    const { feedback, add } = collector();
    for (let i = 0; i < 2; i++) add('f', [of(10, 50_000, true)]);
    expect(feedback.seenBy('f')?.get('a')).toBe(50_000);
  });

  test('does not forget what a large limit has seen for many small ones', () => {
    const { feedback, add } = collector();
    add('f', [of(10, 50_000, true)]);
    for (let i = 0; i < 100; i++) add('f', [of(10, 20, true)]);
    add('f', [of(10, 50_000, true)]);
    expect(feedback.seenBy('f')?.get('a')).toBe(50_000);
  });

  test('has histograms of rows, errors and times, and its eight most executed plans', () => {
    const { feedback, offer, statement } = collector();
    for (let plan = 0; plan < 10; plan++) {
      for (let i = 0; i <= plan; i++) {
        offer('f', [of(10, 40)], { plan: `p${plan}`, variant: plan * 2 ** 48 + i });
      }
    }
    const model = statement('f');
    expect(model).toMatchObject({ family: 'f', executions: 55, estimated: 55, kind: 'statement' });
    expect(feedback.frequencyOf(model)).toBe(55);
    expect([model.rows.maximum, model.micros.maximum, model.ewmaMicros]).toEqual([5, 100, 100]);
    expect(model.qError.quantile(0.5)).toBe(400);
    expect(model.plans.runs.size).toBe(8);
    expect(model.plans.runs.get('p9')?.executions).toBe(10);
    expect(model.plans.runs.has('p0')).toBe(false);
  });

  test('has a model for each relation of its queries whose rows were expected', () => {
    const { offer, statement } = collector();
    offer('f', [of(10, 40), of(50, 3, true, 'b')], { rows: 7 });
    expect(statement('f/a')).toMatchObject({ kind: 'relation', executions: 1, estimated: 1 });
    expect([statement('f/a').rows.maximum, statement('f/a').qError.maximum]).toEqual([40, 400]);
    expect([statement('f/a').micros.total, statement('f/a').work]).toEqual([0, undefined]);
    // It was cut short: how many rows it has is not known, but it was there.
    expect(statement('f/b').executions).toBe(0);
  });

  test('begins from empty when a table or a column of it is another one', () => {
    const { offer, statement } = collector();
    for (let i = 0; i < 3; i++) offer('f', [of(1, 1)]);
    offer('f', [of(1, 1)], { ground: 'other', rows: 2 });
    expect(statement('f')).toMatchObject({ executions: 1 });
    expect(statement('f').rows.maximum).toBe(2);
  });

  test.each([1, 2, 20, 300])('of %d instances has about as many variants', (count) => {
    const { offer, statement } = collector();
    for (let i = 0; i < 1_000; i++) offer('f', [], { variant: hashOf(i % count) });
    expect(Math.abs(statement('f').variants.count / count - 1)).toBeLessThan(0.4);
  });
});

describe('of many families', () => {
  test('4,096 are kept, and the coldest goes', () => {
    const { feedback, offer } = collector();
    const add = (family: string) => {
      offer(family, []);
      feedback.drain();
    };
    add('warm');
    for (let i = 0; i < 4_095; i++) {
      const turns = i === 7 ? 1 : 2;
      for (let turn = 0; turn < turns; turn++) add(`f${i}`);
    }
    add('warm');
    add('new');
    expect([feedback.tracked.length, feedback.evicted]).toEqual([4_096, 1]);
    expect([feedback.modelOf('f7'), feedback.modelOf('warm')?.executions]).toEqual([undefined, 2]);
  });

  test('one that was dropped begins anew, in a plan that is kept too', () => {
    const { feedback } = collector();
    const kept = subjectOf('kept');
    feedback.offer(kept, 1, 1, 1, [], undefined);
    for (let i = 0; i < 5_000; i++) {
      for (let turn = 0; turn < 2; turn++)
        feedback.offer(subjectOf(`f${i}`), 1, 1, 1, [], undefined);
      feedback.drain();
    }
    expect(feedback.modelOf('kept')).toBe(undefined);
    feedback.offer(kept, 1, 1, 1, [], undefined);
    feedback.drain();
    expect(feedback.modelOf('kept')).toMatchObject({ executions: 1, isEvicted: false });
  });

  test('frequencies are halved every ten minutes', () => {
    const { world, feedback, offer, statement } = collector();
    for (let i = 0; i < 9; i++) offer('f', []);
    world.advance(600_000);
    offer('f', []);
    expect(statement('f')).toMatchObject({ executions: 10 });
    expect(feedback.frequencyOf(statement('f'))).toBe(5);
  });
});

describe('what finds no room', () => {
  test('in the channel is dropped and counted; nothing is folded before its turn', () => {
    const { world, feedback, offer } = collector();
    for (let i = 0; i < 5_000; i++) offer(`f${i % 3}`, []);
    expect([feedback.seen, feedback.absorbed, feedback.dropped]).toEqual([5_000, 0, 904]);
    world.advance(20);
    expect([feedback.absorbed, feedback.modelCount]).toEqual([4_096, 3]);
    offer('f', []);
    world.advance(20);
    expect(feedback.absorbed + feedback.dropped).toBe(feedback.seen);
  });

  test('among the families with something to publish is shed and counted', () => {
    const { feedback, offer } = collector();
    for (let turn = 0; turn < 2; turn++) {
      for (let i = 0; i < 1_030; i++) offer(`f${i}`, [of(10, 5_000)]);
      feedback.drain();
    }
    expect(feedback.shed).toBe(6);
    feedback.publish();
    expect([feedback.correctionOf('f1023'), feedback.correctionOf('f1024')]).toEqual([1_024, 0]);
    for (let turn = 0; turn < 2; turn++) offer('f1024', [of(10, 5_000)]);
    feedback.publish();
    expect(feedback.correctionOf('f1024')).toBeGreaterThan(0);
  });
});

test('plans learn what was folded a second after the last time, without anything more', () => {
  const { world, feedback, offer } = collector();
  world.advance(5_000);
  offer('f', []);
  world.advance(20);
  for (let i = 0; i < 2; i++) offer('f', [of(10, 5_000)]);
  world.advance(20);
  expect(feedback.correctionOf('f')).toBe(0);
  world.advance(1_000);
  expect(feedback.correctionOf('f')).toBe(1);
  expect(world.pending).toEqual([]);
});

test('after its end no timer is set', () => {
  const { world, feedback, offer } = collector();
  offer('f', []);
  feedback.stop();
  offer('f', []);
  expect(world.pending).toEqual([]);
});
