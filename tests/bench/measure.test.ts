/** What the benchmark concludes from times, with engines whose times are known. */

import { describe, expect, test } from 'bun:test';
import { type Engine, Problem } from '../../bench/workloads/engines/engine.ts';
import type { Goal } from '../../bench/workloads/goals.ts';
import { comparisonOf } from '../../bench/workloads/measure/against.ts';
import { askInTurn, differs } from '../../bench/workloads/measure/in-turn.ts';
import {
  type Outcome,
  type Row,
  ratioOf,
  type SizeReport,
} from '../../bench/workloads/measure/outcome.ts';
import { growthOf, verdictOf } from '../../bench/workloads/measure/verdict.ts';
import type { EngineName, Question } from '../../bench/workloads/question.ts';

const pace = { roundMs: 0, warmUpMs: 0, roundsMin: 3, roundsMax: 3, changeRounds: 2 };
const question: Question = { id: 'q', name: 'q', program: () => '', sql: () => '' };

function engine(name: EngineName, ask: Engine['ask']): Engine {
  const nothing = async () => {};
  const rest = { load: nothing, addIndex: nothing, dropIndex: nothing };
  return { name, ask, ...rest, [Symbol.asyncDispose]: nothing };
}

const row = (outcomes: Record<string, Outcome>, rows?: number): Row => ({
  id: 'q',
  name: 'q',
  outcomes,
  ...(rows !== undefined && { rows }),
});
const size = (rows: number, ...table: Row[]): SizeReport => ({ rows, storeMib: 0, table });

describe('questions in turn', () => {
  test('engines alternate, and the first answers are compared', async () => {
    const asked: string[] = [];
    const answering = (name: EngineName, answer: unknown) =>
      engine(name, (_, turn) => {
        asked.push(`${name} ${turn}`);
        return answer;
      });
    const engines = [answering('svc', '{"result":[{"n":1}]}'), answering('sqlite', [{ n: 1 }])];
    const { outcomes, requests } = await askInTurn(question, engines, pace);
    const turns = [0, 1, 2, 3].flatMap((turn) => [`svc ${turn}`, `sqlite ${turn}`]);
    expect(asked).toEqual(turns);
    expect(requests).toBe(4);
    expect(Object.keys(outcomes)).toEqual(['svc', 'sqlite']);
  });

  test('an engine with another answer has no times', async () => {
    const engines = [engine('svc', () => [{ n: 1 }]), engine('duckdb', () => [{ n: 2 }])];
    const { outcomes } = await askInTurn(question, engines, pace);
    expect(outcomes['duckdb']).toEqual({ problem: differs });
    expect(outcomes['svc']).toHaveProperty('times');
  });

  test('a refusal is noted by its reason, and the others continue', async () => {
    const refusing = engine('svc', async () => {
      throw new Problem('memory_limit', 'the program needs more memory');
    });
    const { outcomes } = await askInTurn(question, [refusing, engine('sqlite', () => [])], pace);
    expect(outcomes['svc']).toEqual({ problem: 'memory_limit' });
    expect((outcomes['sqlite'] as { times: number[] }).times.length).toBe(3);
  });

  test('a change is made equally often on every engine, and then checked', async () => {
    const check = { program: () => 'check', sql: () => '' };
    const changing = { ...question, change: { rows: 10, check } };
    const counting = (name: EngineName) => {
      let changes = 0;
      return engine(name, ({ program }) => (program(0) === 'check' ? [{ n: changes }] : changes++));
    };
    const same = await askInTurn(changing, [counting('svc'), counting('sqlite')], pace);
    expect((same.outcomes['sqlite'] as { times: number[] }).times.length).toBe(2);
    const idle = engine('sqlite', () => [{ n: 0 }]);
    const other = await askInTurn(changing, [counting('svc'), idle], pace);
    expect(other.outcomes['sqlite']).toEqual({ problem: differs });
  });
});

describe('verdicts', () => {
  const isMet = (goal: Goal, of: Row, at = size(10, of), smaller?: SizeReport) =>
    verdictOf(goal, of, at, smaller).isMet;

  test('the ratio is the median of the rounds, not the ratio of medians', () => {
    const of = row({ svc: { times: [10, 40, 30] }, sqlite: { times: [10, 20, 10, 1] } });
    expect(ratioOf(of, 'sqlite')).toBe(2);
  });

  test('a time is compared with a reference, and a rate with a share of it', () => {
    const of = row({ svc: { times: [30] }, duckdb: { times: [20] } }, 100);
    expect(isMet({ kind: 'times', of: 'duckdb', most: 1.5 }, of)).toBe(true);
    expect(isMet({ kind: 'times', of: 'duckdb', most: 1.4 }, of)).toBe(false);
    expect(isMet({ kind: 'share', of: 'duckdb', least: 0.6 }, of)).toBe(true);
    expect(isMet({ kind: 'share', of: 'duckdb', least: 0.7 }, of)).toBe(false);
    expect(isMet({ kind: 'rate', least: 3 }, of)).toBe(true);
    expect(isMet({ kind: 'rate', least: 4 }, of)).toBe(false);
    expect(isMet({ kind: 'times', of: 'sqlite', most: 1 }, of)).toBeUndefined();
  });

  test('a point read of the same size is a reference', () => {
    const point = { ...row({ svc: { times: [1] } }), id: 'point' };
    const of = row({ svc: { times: [2.5] } });
    expect(isMet({ kind: 'times', of: 'point', most: 3 }, of, size(10, point, of))).toBe(true);
    expect(isMet({ kind: 'times', of: 'point', most: 2 }, of, size(10, point, of))).toBe(false);
  });

  test('growth is 1 if the time grows with the rows', () => {
    const [before, now] = [row({ svc: { times: [3] } }), row({ svc: { times: [36] } })];
    const [small, large] = [size(100, before), size(1_000, now)];
    expect(growthOf(now, large, small)).toBeCloseTo(1 + Math.log10(1.2));
    expect(isMet({ kind: 'linear', most: 1.3 }, now, large, small)).toBe(true);
    expect(isMet({ kind: 'linear', most: 1.1 }, now, large, small)).toBe(false);
  });

  test('a problem meets no goal', () => {
    const of = row({ svc: { problem: 'memory_limit' }, sqlite: { times: [1] } });
    expect(isMet({ kind: 'works' }, of)).toBe(false);
    expect(isMet({ kind: 'times', of: 'sqlite', most: 9 }, of)).toBe(false);
  });
});

test('two reports are compared relative to their references', () => {
  const before = row({ svc: { times: [20] }, sqlite: { times: [10] } });
  const now = row({ svc: { times: [20] }, sqlite: { times: [20] } });
  const reportOf = (of: Row) => ({ date: '', workload: 'shop', sizes: [size(10, of)] });
  expect(comparisonOf(reportOf(now), reportOf(before)).trim().split('\n').at(-1)).toBe(
    '| 10 | q | 20.0 | 20.0 | 0.50 | sqlite |',
  );
});
