/** LIR relation nodes (lir.md §1.2). */

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

const input = name('The node whose rows are read.');
const left = name('The left node.');
const right = name('The right node.');
const scope = name('The label under which expressions name the columns; unique in the document.');
const quantifier = oneOf(
  'Whether copies of equal rows count (`all`) or each row once (`distinct`).',
  ['all', 'distinct'],
);
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
  RowsNode: closed('Rows written out in the document.', {
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
    predicate: expression('A truth value; false and unknown drop the row.'),
  }),
  ProjectNode: closed(
    'One row for each input row, with columns taken over by `spread` and computed by `fields`; at least one of both.',
    {
      kind: tag('project'),
      input,
      scope: optional(scope),
      spread: optional(
        distinctNames('Labels of scopes beneath, whose columns are taken over in order.', 1),
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
    on: expression('Which pairs are kept; it holds no crossing.'),
  }),
  ConcatenateNode: closed('All rows of all inputs, copies included.', {
    kind: tag('concatenate'),
    inputs: list(
      'The nodes; they agree in the names and types of their columns.',
      name('A node.'),
      2,
    ),
    scope,
  }),
  IntersectNode: closed('The rows that occur on both sides.', {
    kind: tag('intersect'),
    left,
    right,
    quantifier,
    scope,
  }),
  ExceptNode: closed('The rows of the left side without those of the right side.', {
    kind: tag('except'),
    left,
    right,
    quantifier,
    scope,
  }),
  AggregateNode: closed(
    'One row for each group of input rows, or a single row when there are no `groups`; at least one of `groups` and `aggs`.',
    {
      kind: tag('aggregate'),
      input,
      scope: optional(scope),
      groups: optional(list('The group keys.', ref<GroupTerm>('GroupTerm'), 1)),
      aggs: optional(list('The folds over the rows of a group.', ref<AggregateTerm>('AggTerm'), 1)),
    },
    atLeastOne('groups', 'aggs'),
  ),
  GroupTerm: closed('A group key.', {
    expr: expression('Its value.'),
    as: optional(
      name('The name of the column; needed unless `expr` is a column, whose name it then takes.'),
    ),
  }),
  AggTerm: closed('A fold over the rows of a group.', {
    fn: oneOf('The fold. All but `count` need `arg`; NULL arguments are skipped.', [
      'count',
      'sum',
      'avg',
      'min',
      'max',
    ]),
    as: name('The name of the column.'),
    arg: optional(expression('What is folded; `count` without it counts rows.')),
  }),
  OrderNode: closed('The input rows in order.', {
    kind: tag('order'),
    input,
    terms: list('What to sort by, most significant first.', ref<OrderTerm>('OrderTerm'), 1),
  }),
  OrderTerm: closed('One sort key.', {
    expr: expression('A scalar value. NULL sorts before every value.'),
    desc: optional(
      Type.Boolean({ description: 'Whether the order of this key is reversed; false if absent.' }),
    ),
  }),
  SliceNode: closed('A range of the input rows.', {
    kind: tag('slice'),
    input,
    offset: optional(
      int64('How many rows to skip; 0 if absent. Above 0 the input must be ordered.', {
        minimum: 0,
      }),
    ),
    limit: optional(int64('How many rows to keep at most; all if absent.', { minimum: 0 })),
  }),
  DistinctNode: closed('Each row once.', { kind: tag('distinct'), input }),
  RefNode: closed('The rows of a binding or of an earlier statement.', {
    kind: tag('ref'),
    binding: name('The name of the binding or statement.'),
    scope,
  }),
  RecursiveRefNode: closed('Inside a recursive step: the rows that the last round added.', {
    kind: tag('recursive_ref'),
    binding: name('The name of the recursive binding around it.'),
    scope,
  }),
};
