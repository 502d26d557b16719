/** The grammar of the section `policies`, one JSON Schema per level. Its expressions and nodes are those of LIR that cannot fail, and the leaf `claim`. */

import { claimTypes } from '#catalog';
import { scalarTypes } from '#value';
import { closed, list, use } from '../grammar-shapes.ts';

export const expressionKinds = [
  'lit',
  'col',
  'claim',
  'unary',
  'binary',
  'cast',
  'coalesce',
  'text_match',
  'exists',
] as const;
export const nodeKinds = ['scan', 'filter', 'join'] as const;
export const partKinds = ['literal', 'any_many'] as const;
export const unaryOperators = ['not', 'is_null', 'is_not_null', 'negate'] as const;
export const binaryOperators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'and', 'or'] as const;
export const comparisons = ['exact', 'unicode_simple_fold'] as const;
/** The words that replace the condition of a rule. */
export const ruleWords = ['all', 'same_as_read'] as const;

const kind = (word: string) => ({ enum: [word], description: `Always \`${word}\`.` });
const operand = (description: string) => use('policy_expression', description);
const rule = (description: string) => use('policy_rule', description);
const mapping = (values: object, description: string) => ({
  type: 'object',
  additionalProperties: values,
  description,
});

export const policyLevels = {
  policies: closed(
    'Row policies: the rows that a principal may read and change.',
    {
      tables: mapping(
        { $ref: '#/$defs/table_policy' },
        'The rules by table. A table without an entry is invisible to principals that are subject to policies.',
      ),
    },
    {
      claims: mapping(
        { enum: claimTypes },
        'The claims of keys and tokens that the rules read, with their types.',
      ),
    },
  ),
  table_policy: closed(
    'The rules of one table. An action without a rule is permitted for no row.',
    {},
    {
      read: {
        anyOf: [
          { enum: ['all'] },
          { $ref: '#/$defs/policy_condition' },
          { $ref: '#/$defs/policy_expression' },
        ],
        description: 'The rows that can be read.',
      },
      create: rule('The rows that can be created.'),
      update: rule('The rows that can be updated. The new row must fulfil the rule, too.'),
      delete: rule('The rows that can be deleted.'),
    },
  ),
  policy_condition: closed(
    'A condition that reads other tables.',
    { where: operand('The condition. The scope `row` is the row itself.') },
    {
      nodes: mapping(
        { $ref: '#/$defs/policy_node' },
        'The relations of the `exists` in `where`, by the id of the node. They read all rows of their tables.',
      ),
    },
  ),
  lit_expression: closed(
    'A constant.',
    { kind: kind('lit'), value: use('literal', 'The constant.') },
    {},
  ),
  literal: closed(
    'A typed constant. Without `value` it is a typed NULL.',
    { type: { enum: scalarTypes, description: 'The type of the constant.' } },
    {
      value: {
        type: ['string', 'boolean'],
        description: 'A boolean for the type bool, otherwise a string, also for numbers.',
      },
    },
  ),
  col_expression: closed(
    'The value of a column.',
    {
      kind: kind('col'),
      scope: use('identifier', '`row`, or the label of a scan.'),
      column: use('identifier', 'The name of the column.'),
    },
    {},
  ),
  claim_expression: closed(
    'The value of a claim of the principal; NULL if the principal has no claim of that name and type.',
    { kind: kind('claim'), name: use('identifier', 'The name of the claim.') },
    {},
  ),
  unary_expression: closed(
    'An operator with one operand.',
    {
      kind: kind('unary'),
      op: { enum: unaryOperators, description: 'The operator. `negate` needs a float64.' },
      expr: operand('The operand.'),
    },
    {},
  ),
  binary_expression: closed(
    'A comparison, `and` or `or`.',
    {
      kind: kind('binary'),
      op: { enum: binaryOperators, description: 'The operator.' },
      left: operand('The left operand.'),
      right: operand('The right operand.'),
    },
    {},
  ),
  cast_expression: closed(
    'A conversion that cannot fail.',
    {
      kind: kind('cast'),
      expr: operand('The operand.'),
      to: { enum: scalarTypes, description: 'The type to convert to.' },
    },
    {},
  ),
  coalesce_expression: closed(
    'The first value that is not NULL.',
    {
      kind: kind('coalesce'),
      args: { ...list('policy_expression', 'The values, all of one type.'), minItems: 2 },
    },
    {},
  ),
  text_match_expression: closed(
    'True if a pattern of literals and wildcards matches a whole string.',
    {
      kind: kind('text_match'),
      value: operand('The string.'),
      parts: { ...list('text_part', 'The pattern, left to right.'), minItems: 1 },
    },
    {
      comparison: {
        enum: comparisons,
        description: 'The comparison of characters; `exact` if absent.',
      },
    },
  ),
  literal_part: closed(
    'Matches exactly this text.',
    {
      kind: kind('literal'),
      value: { type: 'string', minLength: 1, description: 'The text; not empty.' },
    },
    {},
  ),
  any_many_part: closed('Matches any characters, also none.', { kind: kind('any_many') }, {}),
  exists_expression: closed(
    'True if the relation has a row. A condition has at most one, in `where`.',
    { kind: kind('exists'), node: use('identifier', 'The node of the relation.') },
    {},
  ),
  scan_node: closed(
    'All rows of a table.',
    {
      kind: kind('scan'),
      table: use('identifier', 'The name of the table.'),
      scope: use('identifier', 'The label by which expressions refer to the row.'),
    },
    {},
  ),
  filter_node: closed(
    'The rows for which a predicate is true.',
    {
      kind: kind('filter'),
      input: use('identifier', 'The filtered node.'),
      predicate: operand('The predicate. It can use the scope `row`.'),
    },
    {},
  ),
  join_node: closed(
    'The pairs of rows for which a predicate is true.',
    {
      kind: kind('join'),
      left: use('identifier', 'The left node.'),
      right: use('identifier', 'The right node.'),
      join: { enum: ['inner'], description: 'Always `inner`.' },
      on: operand('The predicate. It can use the scope `row`.'),
    },
    {},
  ),
};

const oneOf = (description: string, levels: readonly string[]) => ({
  description,
  anyOf: levels.map((level) => ({ $ref: `#/$defs/${level}` })),
});

/** Definitions with alternatives; the reader chooses one by its member `kind`. */
export const policyChoices = {
  policy_rule: {
    description: 'The rows for which an action is permitted.',
    anyOf: [
      { enum: ruleWords },
      { $ref: '#/$defs/policy_condition' },
      { $ref: '#/$defs/policy_expression' },
    ],
  },
  policy_expression: oneOf(
    'An expression over the row and the claims.',
    expressionKinds.map((word) => `${word}_expression`),
  ),
  policy_node: oneOf(
    'A relation.',
    nodeKinds.map((word) => `${word}_node`),
  ),
  text_part: oneOf(
    'A part of a pattern.',
    partKinds.map((word) => `${word}_part`),
  ),
};
