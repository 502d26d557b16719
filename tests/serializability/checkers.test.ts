/** The checkers find each kind of anomaly in a history that has it, and nothing in one that has not. */

import { describe, expect, test } from 'bun:test';
import { checkLists } from './check-lists.ts';
import { checkRegisters } from './check-registers.ts';
import type { History, Observed, Step } from './history.ts';

const append = (key: number, value: number): Step => ({ kind: 'append', key, value });
const write = (key: number, value: number): Step => ({ kind: 'write', key, value });
const read = (key: number, ...seen: number[]): Step => ({ kind: 'read', key, seen });

/** All at the same time. */
const ok = (...steps: Step[]): Observed => ({ steps, outcome: 'ok', invoked: 0, completed: 1000 });
const failed = (...steps: Step[]): Observed => ({ ...ok(...steps), outcome: 'failed' });
const unknown = (...steps: Step[]): Observed => ({
  steps,
  outcome: 'unknown',
  invoked: 0,
  completed: Number.POSITIVE_INFINITY,
});
/** One after the other. */
const inTurn = (...history: Observed[]): History =>
  history.map((it, i) => ({ ...it, invoked: 2 * i, completed: 2 * i + 1 }));

describe('lists', () => {
  const names = (history: History) => checkLists(history).map(({ name }) => name);

  test('a serial history is right', () => {
    expect(
      names(inTurn(ok(append(1, 1)), ok(read(1, 1), append(1, 2)), ok(read(1, 1, 2)))),
    ).toEqual([]);
  });
  test('concurrent transactions may be ordered either way', () => {
    expect(names([ok(append(1, 2)), ok(append(1, 1)), ok(read(1, 1, 2))])).toEqual([]);
  });
  test('an unknown one may have happened', () => {
    expect(names([unknown(append(1, 1)), ok(read(1, 1))])).toEqual([]);
    expect(names([unknown(append(1, 1)), ok(read(1))])).toEqual([]);
  });
  test('an unknown one that happened, happened whole', () => {
    expect(names([unknown(append(1, 1), append(2, 5)), ok(read(1, 1), read(2))])).toContain(
      'lost append',
    );
  });
  test('an acknowledged append that is gone', () => {
    expect(names([ok(append(1, 1)), ok(read(1))])).toContain('lost append');
  });
  test('G0: two keys written in opposite order', () => {
    const history = [
      ok(append(1, 1), append(2, 1)),
      ok(append(1, 2), append(2, 2)),
      ok(read(1, 1, 2), read(2, 2, 1)),
    ];
    expect(names(history)).toEqual(['G0']);
  });
  test('G1a: a failed write is read', () => {
    expect(names([failed(append(1, 1)), ok(read(1, 1))])).toEqual(['G1a']);
  });
  test('G1b: a state inside a transaction is read', () => {
    const history = [ok(append(1, 1), append(1, 2)), ok(read(1, 1)), ok(read(1, 1, 2))];
    expect(names(history)).toContain('G1b');
  });
  test('G1c: each reads the other', () => {
    const history = [ok(append(1, 1), read(2, 1)), ok(append(2, 1), read(1, 1))];
    expect(names(history)).toEqual(['G1c']);
  });
  test('G-single: a lost update', () => {
    const history = [
      ok(append(1, 1)),
      ok(read(1, 1), append(1, 2)),
      ok(read(1, 1), append(1, 3)),
      ok(read(1, 1, 2, 3)),
    ];
    expect(names(history)).toEqual(['G-single']);
  });
  test('G2: write skew', () => {
    const history = [
      ok(read(1), append(2, 1)),
      ok(read(2), append(1, 1)),
      ok(read(1, 1), read(2, 1)),
    ];
    expect(names(history)).toEqual(['G2']);
  });
  test('a stale read is one only in real time', () => {
    const history = [ok(append(1, 1)), ok(read(1)), ok(read(1, 1))];
    expect(names(history)).toEqual([]);
    expect(names(inTurn(...history))).toEqual(['G-single-realtime']);
  });
  test('reads that fit no order, duplicates and inventions', () => {
    const appends = [ok(append(1, 1)), ok(append(1, 2))];
    expect(names([...appends, ok(read(1, 1, 2)), ok(read(1, 2))])).toContain('incompatible order');
    expect(names([...appends, ok(read(1, 1, 2, 2))])).toContain('duplicate');
    expect(names([...appends, ok(read(1, 1, 2, 9))])).toContain('garbage read');
  });
  test('a transaction sees its own steps', () => {
    expect(names([ok(read(1), append(1, 1), read(1)), ok(read(1, 1))])).toContain('internal');
  });
});

describe('registers', () => {
  const names = (history: History) => checkRegisters(history).map(({ name }) => name);

  test('a serial history is right', () => {
    expect(names(inTurn(ok(write(1, 5)), ok(read(1, 5), write(1, 6)), ok(read(1, 6))))).toEqual([]);
  });
  test('a lost update', () => {
    const history = [ok(read(1, 0), write(1, 5)), ok(read(1, 0), write(1, 6))];
    expect(names(history)).not.toEqual([]);
  });
  test('write skew', () => {
    expect(names([ok(read(1, 0), write(2, 5)), ok(read(2, 0), write(1, 6))])).toEqual(['G2']);
  });
  test('a stale read is one only in real time', () => {
    const history = [ok(write(1, 5)), ok(read(1, 0))];
    expect(names(history)).toEqual([]);
    expect(names(inTurn(...history))).toEqual(['G-single-realtime']);
  });
  test('failed, intermediate and invented values', () => {
    expect(names([failed(write(1, 5)), ok(read(1, 5))])).toEqual(['G1a']);
    expect(names([ok(write(1, 5), write(1, 6)), ok(read(1, 5))])).toContain('G1b');
    expect(names([ok(read(1, 7))])).toEqual(['garbage read']);
  });
  test('a transaction sees its own write', () => {
    expect(names([ok(write(1, 5), read(1, 0))])).toContain('internal');
  });
});
