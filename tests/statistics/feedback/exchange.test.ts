/** What one process tells another of its executions, and what the other one makes of it. */

import { expect, test } from 'bun:test';
import { Feedback, type Observation, type Subject } from '#statistics';
import { manualWorld } from '../../support/manual-world.ts';

const relationOf = (part: string) => `f/${part}`;

function subjectOf(changes: Partial<Subject> = {}): Subject {
  const named = { family: 'f', stamp: 's', plan: 'p', ground: 'g' };
  return { ...named, model: undefined, relationOf, ...changes };
}

const missed: readonly Observation[] = [{ part: 'a', estimated: 5, actual: 5_000, isCut: false }];

function recording() {
  const feedback = new Feedback(manualWorld());
  feedback.record();
  const subject = subjectOf();
  const offer = (observations = missed, of = subject) =>
    feedback.offer(of, 7, 100, 1, observations, undefined);
  return { feedback, offer };
}

test('what happened is told once, and folded in elsewhere it gives the same model', () => {
  const { feedback, offer } = recording();
  offer();
  offer();
  feedback.drain();
  feedback.appeared('f', 9);
  const told = feedback.takeTold();
  expect(feedback.takeTold()).toBe(undefined);
  expect(told?.families.map(({ family, executions }) => [family, executions.length])).toEqual([
    ['f', 2],
  ]);
  expect(told?.frequency).toEqual([{ family: 'f', rows: 9, count: 1 }]);
  const other = new Feedback(manualWorld());
  for (const family of told?.families ?? []) other.absorb(family, relationOf);
  for (const appearance of told?.frequency ?? []) other.absorbAppearance(appearance);
  other.publish();
  const shown = (of: Feedback) =>
    of.tracked.map((model) => [
      model.kind,
      model.family,
      model.executions,
      model.rows.total,
      model.qError.maximum,
      of.frequencyOf(model),
    ]);
  feedback.publish();
  expect(shown(other)).toEqual(shown(feedback));
  expect(other.seenBy('f')?.get('a')).toBe(5_000);
  expect(other.takeTold()).toBe(undefined);
});

test('who does not record tells nothing', () => {
  const feedback = new Feedback(manualWorld());
  feedback.offer(subjectOf(), 7, 100, 1, missed, undefined);
  expect([feedback.takeTold(), feedback.untold]).toEqual([undefined, 0]);
});

test('what finds no room is dropped and counted', () => {
  const { feedback, offer } = recording();
  for (let i = 0; i < 5_000; i++) {
    offer([]);
    if (i % 1_000 === 0) feedback.drain();
  }
  expect(feedback.takeTold()?.families[0]?.executions.length).toBe(4_096);
  expect(feedback.untold).toBe(904);
  for (let i = 0; i < 600; i++) offer([], subjectOf({ family: `f${i}` }));
  for (let i = 0; i < 1_100; i++) feedback.appeared('f', i);
  const told = feedback.takeTold();
  expect([told?.families.length, told?.frequency.length]).toEqual([512, 1_024]);
  expect(feedback.untold).toBe(904 + 88 + 76);
  for (let i = 0; i < 30; i++) {
    offer([], subjectOf({ family: `long ${i}`, ground: 'x'.repeat(1 << 16) }));
  }
  expect(feedback.takeTold()?.families.length).toBe(10);
});

test('what another process has seen from other facts does not undo what was learnt here', () => {
  const feedback = new Feedback(manualWorld());
  for (let i = 0; i < 2; i++) feedback.offer(subjectOf(), 7, 100, 1, missed, undefined);
  feedback.publish();
  const learnt = feedback.correctionOf('f');
  expect(learnt).toBeGreaterThan(0);
  const execution = { rows: 7, micros: 900, variant: 1, observations: missed, work: undefined };
  const foreign = { family: 'f', ground: 'g', stamp: 'other', plan: 'q', executions: [execution] };
  feedback.absorb(foreign, relationOf);
  feedback.publish();
  expect(feedback.correctionOf('f')).toBe(learnt);
  const model = feedback.modelOf('f');
  expect([...(model?.plans.runs ?? [])].map(([plan, runs]) => [plan, runs.times.size])).toEqual([
    ['p', 1],
    ['q', 0],
  ]);
  const own = subjectOf({ stamp: 'other' });
  feedback.offer(own, 7, 100, 1, missed, undefined);
  feedback.publish();
  expect(feedback.correctionOf('f')).toBe(0);
});
