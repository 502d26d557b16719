/** Definitions of LIR relation nodes (docs/lir.md §5). */

import { Type } from '@sinclair/typebox';
import type {
  AggregateTerm,
  Expression,
  Field,
  GroupTerm,
  Node,
  OrderTerm,
  RowsColumn,
} from '#lir';
import {
  atLeastOne,
  closed,
  distinctNames,
  int64,
  list,
  name,
  oneOf,
  optional,
  ref,
  tag,
  variants,
} from '../schema/shapes.ts';

const input = name('The id of the input node.');
const left = name('The left node.');
const right = name('The right node.');
const scope = name('The label by which expressions refer to the columns; unique in the document.');
const quantifier = oneOf('`all` counts duplicate rows; `distinct` counts equal rows once.', [
  'all',
  'distinct',
]);
const expression = (description: string) => ref<Expression>('Expression', description);

export const nodeDefinitions = {
  Node: variants<Node>('A relation: a bag of rows with named, typed columns.', [
    'ScanNode',
    'RowsNode',
    'FilterNode',
    'ProjectNode',
    'JoinNode',
    'ConcatenateNode',
    'IntersectNode',
    'ExceptNode',
    'AggregateNode',
    'OrderNode',
    'SliceNode',
    'DistinctNode',
    'RefNode',
    'RecursiveRefNode',
  ]),
  ScanNode: closed('All rows of a table.', {
    kind: tag('scan'),
    table: name('The name of the table.'),
    scope,
  }),
  RowsNode: closed('Rows contained in the document.', {
    kind: tag('rows'),
    scope,
    columns: list('The columns.', ref<RowsColumn>('RowsColumn'), 1),
    rows: list(
      'The rows; each has one cell for each column.',
      Type.Array(ref<string | null>('Cell')),
    ),
  }),
  FilterNode: closed('The rows for which the predicate is true.', {
    kind: tag('filter'),
    input,
    predicate: expression('A boolean; false and unknown drop the row.'),
  }),
  ProjectNode: closed(
    'One row for each input row, with the columns copied by `spread` and computed by `fields`; at least one of both.',
    {
      kind: tag('project'),
      input,
      scope: optional(scope),
      spread: optional(
        distinctNames('Labels of scopes of the input, whose columns are copied in order.', 1),
      ),
      fields: optional(list('The computed columns.', ref<Field>('Field'), 1)),
    },
    atLeastOne('spread', 'fields'),
  ),
  Field: closed('A computed column.', {
    as: name('The name of the column.'),
    expr: expression('Its value.'),
  }),
  JoinNode: closed('Pairs of a left and a right row.', {
    kind: tag('join'),
    left,
    right,
    join: oneOf('`left` also keeps left rows without a partner, with NULL for the right columns.', [
      'inner',
      'left',
    ]),
    on: expression(
      'The condition that selects pairs; it contains no crossing (correlated subquery).',
    ),
  }),
  ConcatenateNode: closed('All rows of all inputs, including duplicates.', {
    kind: tag('concatenate'),
    inputs: list(
      'The input nodes; the names and types of their columns are equal.',
      name('A node.'),
      2,
    ),
    scope,
  }),
  IntersectNode: closed('The rows that occur in both inputs.', {
    kind: tag('intersect'),
    left,
    right,
    quantifier,
    scope,
  }),
  ExceptNode: closed('The rows of the left input without those of the right input.', {
    kind: tag('except'),
    left,
    right,
    quantifier,
    scope,
  }),
  AggregateNode: closed(
    'One row for each group of input rows, or a single row without `groups`; at least one of `groups` and `aggs`.',
    {
      kind: tag('aggregate'),
      input,
      scope: optional(scope),
      groups: optional(list('The group keys.', ref<GroupTerm>('GroupTerm'), 1)),
      aggs: optional(
        list('The aggregate functions over the rows of a group.', ref<AggregateTerm>('AggTerm'), 1),
      ),
    },
    atLeastOne('groups', 'aggs'),
  ),
  GroupTerm: closed('A group key.', {
    expr: expression('Its value.'),
    as: optional(
      name(
        'The name of the column. It is required unless `expr` is a column, whose name is the default.',
      ),
    ),
  }),
  AggTerm: closed('An aggregate function over the rows of a group.', {
    fn: oneOf(
      'The aggregate function. All except `count` require `arg`; NULL arguments are skipped.',
      ['count', 'sum', 'avg', 'min', 'max'],
    ),
    as: name('The name of the column.'),
    arg: optional(expression('The argument; without it, `count` counts rows.')),
  }),
  OrderNode: closed('The input rows in order.', {
    kind: tag('order'),
    input,
    terms: list('The sort keys, most significant first.', ref<OrderTerm>('OrderTerm'), 1),
  }),
  OrderTerm: closed('One sort key.', {
    expr: expression('A scalar value. NULL sorts before every value, unless `nulls` is given.'),
    desc: optional(
      Type.Boolean({
        description: 'True if this key is sorted in descending order; false if absent.',
      }),
    ),
    nulls: optional(
      oneOf(
        'The place of NULL. If absent, NULL is first in ascending order and last in descending order.',
        ['first', 'last'],
      ),
    ),
  }),
  SliceNode: closed('A range of the input rows.', {
    kind: tag('slice'),
    input,
    offset: optional(
      int64('Number of rows to skip; 0 if absent. Above 0 the input must be ordered.', {
        minimum: 0,
      }),
    ),
    limit: optional(int64('Maximum number of rows to return; all if absent.', { minimum: 0 })),
  }),
  DistinctNode: closed('Each row once.', { kind: tag('distinct'), input }),
  RefNode: closed('The rows of a binding or of an earlier statement.', {
    kind: tag('ref'),
    binding: name('The name of the binding or statement.'),
    scope,
  }),
  RecursiveRefNode: closed('Inside a recursive step: the rows added by the previous round.', {
    kind: tag('recursive_ref'),
    binding: name('The name of the enclosing recursive binding.'),
    scope,
  }),
};
