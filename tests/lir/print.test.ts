/** The text form of queries. */

import { expect, test } from 'bun:test';
import { type Expression, printExpression, printQuery, type Query } from '#lir';

const col = (column: string): Expression => ({ kind: 'col', scope: 's', column });
const int = (value: string): Expression => ({ kind: 'lit', value: { type: 'int64', value } });

test('a query is a tree below its root, and a tree for each binding', () => {
  const query: Query = {
    nodes: {
      slice: { kind: 'slice', input: 'order', limit: 9007199254740993n },
      order: { kind: 'order', input: 'fold', terms: [{ expr: col('n'), desc: true }] },
      fold: {
        kind: 'aggregate',
        input: 'join',
        scope: 'g',
        groups: [{ expr: col('k') }],
        aggs: [{ fn: 'count', as: 'n' }],
      },
      join: { kind: 'join', left: 'scan', right: 'rows', join: 'left', on: col('ok') },
      scan: { kind: 'scan', table: 'planet', scope: 's' },
      rows: {
        kind: 'rows',
        scope: 'r',
        columns: [{ name: 'a', type: 'text', nullable: true }],
        rows: [['x'], [null]],
      },
      filter: { kind: 'filter', input: 'ref', predicate: { kind: 'exists', node: 'inner' } },
      ref: { kind: 'ref', binding: 'x', scope: 'q' },
      inner: { kind: 'scan', table: 'probe', scope: 'p' },
    },
    bindings: { b: { kind: 'derived', node: 'filter' } },
    root: { node: 'slice', cardinality: 'first' },
  };
  expect(printQuery(query)).toBe(
    [
      'first',
      '  slice offset 0 limit 9007199254740993',
      '    order by s.n desc',
      '      aggregate n = count() group by s.k as g',
      '        left join on s.ok',
      '          scan planet as s',
      '          rows (a text?) as r: 2',
      'binding b',
      '  filter exists(inner)',
      '    ref x as q',
      '    exists inner: scan probe as p',
    ].join('\n'),
  );
});

const expressions: readonly [Expression, string][] = [
  [{ kind: 'lit', value: { type: 'text', value: 'a"b' } }, '"a\\"b"'],
  [{ kind: 'lit', value: { type: 'bool' } }, 'null:bool'],
  [{ kind: 'lit', value: { type: 'bytes', value: 'AAE=' } }, 'bytes "AAE="'],
  [{ kind: 'unary', op: 'is_not_null', expr: col('a') }, 's.a is not null'],
  [{ kind: 'unary', op: 'negate', expr: int('5') }, '-5'],
  [{ kind: 'cast', expr: col('a'), to: 'float64' }, 'cast(s.a to float64)'],
  [
    {
      kind: 'binary',
      op: 'mul',
      left: { kind: 'binary', op: 'add', left: col('a'), right: int('1') },
      right: int('2'),
    },
    '(s.a + 1) * 2',
  ],
  [
    {
      kind: 'branch',
      branches: [{ when: col('a'), then: int('1') }],
      else: int('2'),
    },
    'case when s.a then 1 else 2 end',
  ],
  [{ kind: 'coalesce', args: [col('a'), col('b'), int('2')] }, 'coalesce(s.a, s.b, 2)'],
  [
    {
      kind: 'text_match',
      value: col('a'),
      parts: [{ kind: 'literal', value: 'x' }, { kind: 'any_many' }],
      comparison: 'unicode_simple_fold',
    },
    's.a matches folded "x" *',
  ],
];

test.each(expressions)('%p', (expression, text) => {
  expect(printExpression(expression)).toBe(text);
});
