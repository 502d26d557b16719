/** Plans for tables in a remote place: by what they would fetch, and how long that takes. */

import { describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import type { Index, Table } from '#catalog';
import type { Node } from '#lir';
import type { RemoteReads, Statistics } from '#statistics';
import { planQuerySteps } from '../../support/plan-query.ts';
import { explainProgram } from '../../support/plans.ts';
import {
  catalog,
  crossing,
  filter,
  full,
  join,
  op,
  order,
  project,
  query,
  scan,
} from '../support.ts';

const slow = 32_768;

/** Two million rows of each table, 10,000 in a part of a key; the rows of a table are fetched in 40 waits, or in 4,000 pieces. */
function placed(
  remote: (table: Table, index: Index | undefined) => RemoteReads | undefined,
  within = 10_000,
): Statistics {
  return {
    rowsOf: () => 2_000_000,
    rowsWithin: () => within,
    surveyed: () => undefined,
    surveyOf: () => 0,
    remoteReads: remote,
  };
}

const local = placed(() => undefined);
const remote = (cold: number, micros = slow) =>
  placed((_, index) =>
    index === undefined
      ? { pieces: 4_000, cold: 4_000 * cold, scanWaits: 40 * cold, micros }
      : { pieces: 400, cold: 400 * cold, scanWaits: 4 * cold, micros },
  );

function planned(nodes: Record<string, Node>, statistics: Statistics) {
  const setting = { catalog, options: full, statistics, principal: anyone, pace: neverYield };
  return runWithoutWaiting(planQuerySteps(query(nodes, 'many'), setting));
}

const textOf = (...of: Parameters<typeof planned>) =>
  explainProgram(planned(...of)).statements[0]?.text ?? '';

const users = scan('user', 'u');
const posts = scan('post', 'p');

describe('ten thousand rows by an index', () => {
  const nodes = { s: users, f: filter('s', op('gt', 'u.age', 30)), o: order('f', 'u.id') };

  test('are looked up where they are on this machine, or in memory', () => {
    const text = textOf(nodes, local);
    expect(text).toContain('access index user_age: age > 30');
    // The very same plan and costs.
    expect(textOf(nodes, remote(0))).toBe(text);
  });

  test('lose to a scan of 40 parts where each look-up waits 30 ms', () => {
    const text = textOf(nodes, remote(1));
    expect(text).toContain('access whole table');
    // Ten thousand rows lie in 3,672 of 4,000 pieces.
    expect(text).toMatch(
      /index user_age of 10000 rows \(counted\) costs \d+ with 3673 remote reads/,
    );
    expect(text).toMatch(/table of 2000000 rows \(counted\) costs \d+ with 41 remote reads/);
  });

  test('are looked up where the place answers at once', () => {
    expect(textOf(nodes, remote(1, 1))).toContain('access index user_age');
  });
});

test('few rows by an index are looked up all the same', () => {
  const nodes = { s: users, f: filter('s', op('gt', 'u.age', 30)), o: order('f', 'u.id') };
  const few = { ...remote(1), rowsWithin: () => 8 };
  expect(textOf(nodes, few)).toContain('access index user_age');
});

test('an index that holds all that is read is scanned, not looked up', () => {
  const nodes = {
    s: users,
    f: filter('s', op('gt', 'u.age', 30)),
    p: project('f', { id: 'u.id', age: 'u.age' }, 'x'),
    o: order('p', 'x.id'),
  };
  expect(textOf(nodes, remote(1))).toContain('access index user_age');
});

test('a limit counts what it takes', () => {
  const nodes = {
    s: users,
    o: order('s', 'u.age', 'u.id'),
    l: { kind: 'slice', input: 'o', limit: '20' } as unknown as Node,
  };
  expect(textOf(nodes, remote(1))).toMatch(/access index user_age.*with 21 remote reads/);
});

describe('a join by key', () => {
  const nodes = {
    s: posts,
    f: filter('s', op('eq', 'p.author', 1)),
    t: users,
    j: join('f', 't', op('eq', 'u.id', 'p.rank')),
    p: project('j', { seq: 'p.seq', id: 'u.id' }, 'x'),
    o: order('p', 'x.id', 'x.seq'),
  };

  test('looks up on this machine', () => {
    expect(textOf(nodes, local)).toContain('lookup join');
    expect(textOf(nodes, remote(0))).toBe(textOf(nodes, local));
  });

  test('scans a remote table, where that waits less', () => {
    expect(textOf(nodes, remote(1))).toContain('hash join');
  });

  test('looks few rows up there', () => {
    expect(textOf(nodes, { ...remote(1), rowsWithin: () => 8 })).toContain('lookup join');
  });

  test('waits once for each piece, however many rows it looks up', () => {
    // Two pieces are fetched at most, while a scan waits often.
    const dense = placed(() => ({ pieces: 2, cold: 2, scanWaits: 40, micros: slow }));
    expect(textOf(nodes, dense)).toContain('lookup join');
  });
});

test('a row by its whole key asks for nothing, but is looked at where it is read again and again', () => {
  const asked: string[] = [];
  const statistics = placed((table, index) => {
    asked.push(`${table.name} ${index?.name ?? 'rows'}`);
    return { pieces: 4_000, cold: 4_000, scanWaits: 40, micros: slow };
  });
  const one = { s: users, f: filter('s', op('eq', 'u.id', 1)), o: order('f', 'u.id') };
  expect(planned(one, statistics).tableEstimates).toEqual([]);
  expect(asked).toEqual([]);
  const author = filter('s', op('eq', 'u.id', 'p.author'));
  const each = project('t', { a: 'p.author', q: 'p.seq', is: crossing('exists', 'f') }, 'x');
  const nodes = { s: users, f: author, t: posts, p: each, o: order('p', 'x.a', 'x.q') };
  expect(
    planned(nodes, statistics)
      .tableEstimates.map(({ table }) => table.name)
      .sort(),
  ).toEqual(['post', 'user']);
});

test('a table on this machine that is read by its whole keys alone is not counted', () => {
  const author = filter('s', op('eq', 'u.id', 'p.author'));
  const each = project('t', { a: 'p.author', q: 'p.seq', is: crossing('exists', 'f') }, 'x');
  const nodes = { s: users, f: author, t: posts, p: each, o: order('p', 'x.a', 'x.q') };
  expect(planned(nodes, local).tableEstimates.map(({ table }) => table.name)).toEqual(['post']);
});

test('a plan remembers what it was made for', () => {
  const nodes = { s: users, f: filter('s', op('gt', 'u.age', 30)), o: order('f', 'u.id') };
  const [user] = planned(nodes, remote(1)).tableEstimates;
  expect(user?.remote.map(({ index, reads }) => [index?.name, reads?.cold])).toEqual([
    [undefined, 4_000],
    ['user_age', 400],
  ]);
  expect(
    planned(nodes, local).tableEstimates[0]?.remote.every(({ reads }) => reads === undefined),
  ).toBe(true);
});
