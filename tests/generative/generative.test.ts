/** Generated programs must get one answer on every way. `npm run fuzz` runs any number of them, with other seeds. */

import { expect, test } from 'bun:test';
import { portionOf } from '../support/portion.ts';
import { Coverage } from './coverage.ts';
import { reportOf } from './report.ts';
import { search } from './search.ts';

const programsMin = portionOf(2_000);
const scenarios = portionOf(490);

test(`${programsMin} generated programs get one answer on every way`, async () => {
  const coverage = new Coverage();
  const found = await search(20_260, scenarios, coverage.add);
  if (found !== undefined) throw new Error(reportOf(found));
  expect(coverage.programs).toBeGreaterThanOrEqual(programsMin);
  // What is generated must be worth comparing.
  expect(coverage.share('done')).toBeGreaterThan(0.7);
  expect(coverage.emptyLists / coverage.lists).toBeLessThan(0.6);
  const missing = wanted.filter((part) => (coverage.parts.get(part) ?? 0) < portionOf(5));
  expect(missing).toEqual([]);
  const unused = common.filter(
    (technique) => (coverage.techniques.get(technique) ?? 0) < portionOf(2),
  );
  expect(unused).toEqual([]);
}, 300_000);

/** What planning makes of them must come up, too; joins in another order and tests above joins come up in one program of a thousand. */
const common = [
  ...['index_only', 'key_lists', 'membership', 'merge_join'],
  ...['outer_to_inner', 'redundant_distinct', 'rows_ahead'],
];

/** Parts of programs that must come up. */
const wanted = [
  ...['query', 'create', 'ordered create', 'update', 'delete'].map((kind) => `statement ${kind}`),
  ...['scan', 'rows', 'filter', 'project', 'join inner', 'join left', 'concatenate', 'aggregate'],
  ...['intersect all', 'intersect distinct', 'except all', 'except distinct', 'order', 'slice'],
  ...['unordered root', 'checked scalar', 'nulls first', 'nulls last'],
  ...['distinct', 'ref', 'recursive_ref', 'derived', 'recursive all', 'recursive new'],
  ...[
    'lit',
    'col',
    'cast',
    'branch',
    'coalesce',
    'call',
    'text_match',
    'exists',
    'first',
    'scalar',
    'array',
  ],
  ...['not', 'negate', 'is_null', 'is_not_null'].map((op) => `unary ${op}`),
  ...['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'and', 'or'].map((op) => `binary ${op}`),
  ...['add', 'sub', 'mul', 'div'].map((op) => `binary ${op}`),
  ...['query by primary', 'query by primary in a transaction', 'query by index'].map(
    (what) => `operator point ${what}`,
  ),
  ...['update', 'delete'].map((kind) => `operator point ${kind} by primary in a transaction`),
  ...['hash_join', 'merge_join', 'lookup_join', 'loop_join'].map((kind) => `operator ${kind}`),
  ...['count', 'sum', 'avg', 'min', 'max'].map((fn) => `fold ${fn}`),
];
