/** Feedback: what executions tell about a family, and when plans are made anew. */

import { describe, expect, test } from 'bun:test';
import { Feedback, type Observation } from '#statistics';
import { Log2Histogram } from '../../../src/statistics/sketch/log2-histogram.ts';

const clock = { now: 0 };
const feedbackOf = () => new Feedback({ unixMs: () => 0, monotonicMs: () => clock.now });
const execution = (observations: readonly Observation[], stamp = 's', plan = 'p') => ({
  stamp,
  plan,
  rows: 5,
  micros: 100,
  observations,
});
const of = (estimated: number, actual: number, isCut = false, part = 'a'): Observation => {
  return { part, estimated, actual, isCut };
};

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
    const feedback = feedbackOf();
    feedback.add('f', execution([of(10, 5_000), of(100, 100, false, 'b')]));
    expect([feedback.isEmpty, feedback.correctionOf('f')]).toEqual([true, 0]);
    feedback.add('f', execution([of(10, 7_000), of(100, 100, false, 'b')]));
    expect([feedback.isEmpty, feedback.correctionOf('f')]).toEqual([false, 1]);
    expect([...(feedback.seenBy('f') ?? [])]).toEqual([
      ['a', 6_000],
      ['b', 100],
    ]);
    for (let i = 0; i < 10; i++) feedback.add('f', execution([of(6_000, 1)]));
    expect(feedback.correctionOf('f')).toBe(1);
    expect(feedback.seenBy('f')?.get('a')).toBe(6_000);
  });

  test('begins anew when its tables have', () => {
    const feedback = feedbackOf();
    for (let i = 0; i < 2; i++) feedback.add('f', execution([of(10, 5_000)]));
    expect(feedback.correctionOf('f')).toBe(1);
    feedback.add('f', execution([of(10, 5_000)], 't'));
    expect([feedback.correctionOf('f'), feedback.isEmpty]).toEqual([0, true]);
    feedback.add('f', execution([of(10, 5_000)], 't'));
    expect(feedback.correctionOf('f')).toBe(2);
  });

  test.each([
    ['within ten times', of(1_000, 9_999)],
    ['of few rows', of(1, 999)],
    ['that was cut short', of(100_000, 10, true)],
  ])('whose estimate was %s is left alone', (_, observation) => {
    const feedback = feedbackOf();
    for (let i = 0; i < 5; i++) feedback.add('f', execution([observation]));
    expect(feedback.correctionOf('f')).toBe(0);
  });

  test('that was cut short but had more rows than estimated has missed', () => {
    const feedback = feedbackOf();
    for (let i = 0; i < 2; i++) feedback.add('f', execution([of(10, 50_000, true)]));
    expect(feedback.seenBy('f')?.get('a')).toBe(50_000);
  });

  test('has histograms of rows, errors and times, and its eight most executed plans', () => {
    const feedback = feedbackOf();
    for (let plan = 0; plan < 10; plan++) {
      for (let i = 0; i <= plan; i++) feedback.add('f', execution([of(10, 40)], 's', `p${plan}`));
    }
    const [model] = feedback.tracked;
    expect(model).toMatchObject({ family: 'f', executions: 55, frequency: 55 });
    expect(model?.rows.maximum).toBe(5);
    expect(model?.qError.quantile(0.5)).toBe(400);
    expect(model?.micros.maximum).toBe(100);
    expect(model?.plans.size).toBe(8);
    expect(model?.plans.get('p9')).toBe(10);
    expect(model?.plans.has('p0')).toBe(false);
  });
});

describe('of many families', () => {
  test('4,096 are kept, and the coldest goes', () => {
    const feedback = feedbackOf();
    feedback.add('warm', execution([]));
    for (let i = 0; i < 4_095; i++) {
      const turns = i === 7 ? 1 : 2;
      for (let turn = 0; turn < turns; turn++) feedback.add(`f${i}`, execution([]));
    }
    feedback.add('warm', execution([]));
    feedback.add('new', execution([]));
    expect([feedback.tracked.length, feedback.evicted]).toEqual([4_096, 1]);
    const names = feedback.tracked.map(({ family }) => family);
    expect([names.includes('f7'), names.includes('warm')]).toEqual([false, true]);
  });

  test('frequencies are halved every ten minutes', () => {
    clock.now = 0;
    const feedback = feedbackOf();
    for (let i = 0; i < 9; i++) feedback.add('f', execution([]));
    clock.now = 600_000;
    feedback.add('f', execution([]));
    expect(feedback.tracked[0]).toMatchObject({ frequency: 5, executions: 10 });
  });
});
