/** `exists` and `not exists` as joins: where that is allowed, and which side drives them. */

import { describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import type { Node } from '#lir';
import type { PlanOptions } from '#planner';
import type { Statistics } from '#statistics';
import { planQuerySteps } from '../../support/plan-query.ts';
import { explainProgram } from '../../support/plans.ts';
import {
  all,
  catalog,
  crossing,
  filter,
  full,
  lit,
  op,
  order,
  project,
  query,
  scan,
  shortened,
  type Term,
  unary,
} from '../support.ts';

function counting(rows: Readonly<Record<string, number>>): Statistics {
  return {
    rowsOf: ({ name }) => rows[name] ?? 0,
    rowsWithin: ({ name }) => (rows[name] ?? 0) / 1_000,
    surveyed: () => undefined,
    surveyOf: () => 0,
  };
}

const even = counting({ user: 50_000, post: 50_000, note: 50_000 });

/** Users, by a predicate over the relation `q` of other rows. */
function textOf(
  others: Record<string, Node>,
  predicate: Term,
  {
    statistics = even,
    options = full,
    more = {},
  }: Partial<{
    statistics: Statistics;
    options: PlanOptions;
    more: Record<string, Node>;
  }> = {},
): string {
  const nodes = {
    u: scan('user', 'u'),
    ...others,
    f: filter('u', predicate),
    o: order('f', 'u.id'),
    ...more,
  };
  const setting = { catalog, options, statistics, principal: anyone, pace: neverYield };
  const plan = runWithoutWaiting(planQuerySteps(query(nodes, 'many'), setting));
  return shortened(explainProgram(plan).statements[0]?.text ?? '');
}

const notes = scan('note', 'n');
const own = op('eq', 'n.owner', 'u.id');
const hasNotes = { n: notes, q: filter('n', own) };

describe('rows that exist', () => {
  test('are joined by their different keys', () => {
    const text = textOf(hasNotes, crossing('exists', 'q'));
    expect(text).toMatch(/hash join \| join inner \| on .*owner/);
    expect(text).toContain('distinct');
    expect(text).not.toContain('attach');
  });

  test('that are few drive the join', () => {
    const few = all(own, op('eq', 'n.id', 3));
    const text = textOf({ n: notes, q: filter('n', few) }, crossing('exists', 'q'));
    expect(text).toContain('lookup join');
    expect(text.indexOf('table note')).toBeLessThan(text.indexOf('table user'));
    expect(text).toContain('primary key: id = outer');
  });

  test('with a whole key of their own need not be made different', () => {
    const byId = op('eq', 'n.id', 'u.age');
    const text = textOf({ n: notes, q: filter('n', byId) }, crossing('exists', 'q'));
    expect(text).toMatch(/(merge|lookup) join/);
    expect(text).not.toContain('distinct');
  });

  test('are found whatever is made of them above', () => {
    const relation = {
      ...hasNotes,
      x: order('q', 'n.body'),
      y: project('x', { b: 'n.body' }, 'y'),
    };
    const text = textOf(relation, crossing('exists', 'y'));
    expect(text).toContain('hash join');
    expect(text).not.toContain('sort | terms body');
  });

  test('keep the other conditions', () => {
    const both = all(op('gt', 'u.score', lit('float64', '1')), crossing('exists', 'q'));
    const text = textOf(hasNotes, both);
    expect(text).toContain('hash join');
    expect(text).toContain('filter | predicate score > 1');
  });
});

describe('rows that do not exist', () => {
  test('are padded, and the padded rows are kept', () => {
    const text = textOf(hasNotes, unary('not', crossing('exists', 'q')));
    expect(text).toContain('hash join | join left');
    expect(text).toContain('filter | predicate owner is null');
    expect(text).not.toContain('attach');
  });
});

describe('what stays a crossing', () => {
  const stays = (text: string) => expect(text).toContain('attach');

  test('where the rewrite is left out', () => {
    stays(
      textOf(hasNotes, crossing('exists', 'q'), { options: { ...full, without: ['semi_join'] } }),
    );
    stays(textOf(hasNotes, crossing('exists', 'q'), { options: { ...full, crossings: 'nested' } }));
  });

  test('conditions that are no equality', () => {
    const later = op('gt', 'n.owner', 'u.id');
    stays(textOf({ n: notes, q: filter('n', later) }, crossing('exists', 'q')));
    stays(textOf({ n: notes, q: filter('n', all(own, later)) }, crossing('exists', 'q')));
  });

  test('what can raise', () => {
    const raising = all(own, op('gt', op('add', 'n.id', 1), 5));
    stays(textOf({ n: notes, q: filter('n', raising) }, crossing('exists', 'q')));
    const outside = all(op('gt', op('add', 'u.id', 1), 5), crossing('exists', 'q'));
    stays(textOf(hasNotes, outside));
  });

  test('under or', () => {
    stays(textOf(hasNotes, op('or', op('eq', 'u.age', 3), crossing('exists', 'q'))));
  });

  test('a limit below the equality stands, one above does not matter', () => {
    const limited = {
      n: notes,
      l: { kind: 'slice', input: 'n', limit: 3 } as Node,
      q: filter('l', own),
    };
    const text = textOf(limited, crossing('exists', 'q'));
    expect(text).toMatch(/join/);
    expect(text).toContain('slice | limit 3');
    stays(
      textOf({ ...hasNotes, l: { kind: 'slice', input: 'q', limit: 3 } }, crossing('exists', 'l')),
    );
  });
});

test('several are one join each', () => {
  const posts = { p: scan('post', 'p'), r: filter('p', op('eq', 'p.rank', 'u.id')) };
  const both = all(crossing('exists', 'q'), unary('not', crossing('exists', 'r')));
  const text = textOf({ ...hasNotes, ...posts }, both);
  expect(text.match(/hash join/g)?.length).toBe(2);
  expect(text).not.toContain('attach');
});
