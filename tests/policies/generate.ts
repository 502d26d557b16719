/** Random policies for the tables of a generated schema, and the users to whom they apply. */

import type { Claims } from '#access';
import type {
  ClaimType,
  NamedPolicies,
  Policies,
  PolicyAction,
  PolicyConditionOf,
  PolicyExpressionOf,
  PolicyNodeOf,
  PolicyRuleOf,
} from '#catalog';
import { policyActions, withReferences } from '#catalog';
import type { ComparisonOperator } from '#lir';
import type { ScalarType } from '#value';
import type { Choices } from '../generative/choices.ts';
import type { Schema, TableShape } from '../generative/schema.ts';
import { literalOf, valueText } from '../generative/values.ts';

type Expression = PolicyExpressionOf<string>;
type Rule = PolicyRuleOf<string>;

/** One claim of each type. */
export const claims: readonly { readonly name: string; readonly type: ClaimType }[] = [
  { name: 'flag', type: 'bool' },
  { name: 'id', type: 'uuid' },
  { name: 'number', type: 'int64' },
  { name: 'share', type: 'float64' },
  { name: 'sub', type: 'text' },
];

const claimOfType: Readonly<Record<ScalarType, string>> = {
  ...{ text: 'sub', int64: 'number', float64: 'share', bool: 'flag', bytes: 'id' },
};

export function generatePolicies(choices: Choices, schema: Schema): NamedPolicies {
  const tables = schema.tables.flatMap((table) => {
    if (choices.oneIn(12)) return [];
    const rules = policyActions.flatMap((action): [PolicyAction, Rule][] => {
      const rule = ruleOf(choices, schema, table, action);
      return rule === undefined ? [] : [[action, rule]];
    });
    return [{ table: table.name, ...Object.fromEntries(rules) }];
  });
  return { claims, tables };
}

function ruleOf(
  choices: Choices,
  schema: Schema,
  table: TableShape,
  action: PolicyAction,
): Rule | undefined {
  if (choices.oneIn(action === 'read' ? 20 : 8)) return undefined;
  if (choices.oneIn(action === 'read' ? 8 : 3)) return 'all';
  if (action !== 'read' && choices.oneIn(3)) return 'same_as_read';
  return conditionOf(choices, schema, table);
}

function conditionOf(
  choices: Choices,
  schema: Schema,
  table: TableShape,
): PolicyConditionOf<string> {
  const own = predicateOf(choices, [{ label: 'row', table }], 2);
  if (!choices.oneIn(3)) return { where: own };
  const exists: Expression = { kind: 'exists', node: 'root' };
  const nodes = nodesOf(choices, schema, table);
  switch (choices.below(4)) {
    case 0:
      return { where: { kind: 'unary', op: 'not', expr: exists }, nodes };
    case 1:
      return { where: { kind: 'binary', op: 'or', left: own, right: exists }, nodes };
    case 2:
      return { where: { kind: 'binary', op: 'and', left: own, right: exists }, nodes };
    default:
      return { where: exists, nodes };
  }
}

/** A filter over one other table, or over the join of two. */
function nodesOf(
  choices: Choices,
  schema: Schema,
  table: TableShape,
): Record<string, PolicyNodeOf<string>> {
  const first = { label: 'p', table: choices.pick(schema.tables) };
  const row = { label: 'row', table };
  const scan = ({ label, table: of }: Scope): PolicyNodeOf<string> => ({
    ...{ kind: 'scan', table: of.name, scope: label },
  });
  if (!choices.oneIn(4)) {
    const predicate = predicateOf(choices, [first, row], 1);
    return { p: scan(first), root: { kind: 'filter', input: 'p', predicate } };
  }
  const second = { label: 'o', table: choices.pick(schema.tables) };
  const on = predicateOf(choices, [first, second], 0);
  const predicate = predicateOf(choices, [first, second, row], 1);
  return {
    ...{ p: scan(first), o: scan(second) },
    join: { kind: 'join', join: 'inner', left: 'p', right: 'o', on },
    root: { kind: 'filter', input: 'join', predicate },
  };
}

interface Scope {
  readonly label: string;
  readonly table: TableShape;
}

const comparisons: readonly ComparisonOperator[] = ['eq', 'eq', 'ne', 'lt', 'lte', 'gt', 'gte'];

function predicateOf(choices: Choices, scopes: readonly Scope[], depth: number): Expression {
  if (depth > 0 && choices.oneIn(2)) {
    if (choices.oneIn(4)) {
      return { kind: 'unary', op: 'not', expr: predicateOf(choices, scopes, depth - 1) };
    }
    const op = choices.pick(['and', 'or'] as const);
    const left = predicateOf(choices, scopes, depth - 1);
    return { kind: 'binary', op, left, right: predicateOf(choices, scopes, depth - 1) };
  }
  if (choices.oneIn(10)) return { kind: 'claim', name: claimOfType.bool };
  const { label, table } = choices.pick(scopes);
  const column = choices.pick(table.columns);
  const left: Expression = { kind: 'col', scope: label, column: column.name };
  if (choices.oneIn(8)) {
    return { kind: 'unary', op: choices.pick(['is_null', 'is_not_null'] as const), expr: left };
  }
  if (column.type === 'text' && choices.oneIn(6)) {
    const parts = [{ kind: 'literal', value: 'a' } as const, { kind: 'any_many' } as const];
    return { kind: 'text_match', value: left, parts };
  }
  const right = operandOf(choices, scopes, column.type);
  const op = choices.pick(comparisons);
  const coalesced: Expression = choices.oneIn(8)
    ? { kind: 'coalesce', args: [left, { kind: 'lit', value: literalOf(choices, column.type) }] }
    : left;
  return { kind: 'binary', op, left: coalesced, right };
}

function operandOf(choices: Choices, scopes: readonly Scope[], type: ScalarType): Expression {
  const same = scopes.flatMap(({ label, table }) =>
    table.columns
      .filter((column) => column.type === type)
      .map(({ name }): Expression => ({ kind: 'col', scope: label, column: name })),
  );
  if (same.length > 0 && choices.oneIn(3)) return choices.pick(same);
  if (choices.oneIn(4)) return { kind: 'lit', value: literalOf(choices, type) };
  return { kind: 'claim', name: claimOfType[type] };
}

const uuids = [
  '00000000-0000-0000-0000-000000000000',
  '00000000-0000-0000-0000-000000000001',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
];

/** The claims of a user; some are absent. */
export function generateClaims(choices: Choices): Claims {
  const given = {
    flag: choices.oneIn(2),
    id: choices.pick(uuids),
    number: valueText(choices, 'int64'),
    share: Number(valueText(choices, 'float64')),
    sub: valueText(choices, 'text'),
  };
  const kept = Object.entries(given).filter(() => !choices.oneIn(6));
  return Object.fromEntries(kept);
}

/** The policies as they are stored. */
export function storedPolicies(
  { tables, claims: declared }: NamedPolicies,
  schema: Schema,
): Policies {
  const idOf = (name: string) => shapeOf(schema, name).id;
  const references = {
    table: idOf,
    column: (table: string, name: string) =>
      shapeOf(schema, table).columns.find((column) => column.name === name)?.id as number,
  };
  const stored = tables.map(({ table, ...rules }) => {
    const entries = Object.entries(rules).map(([action, rule]) => [
      action,
      typeof rule === 'string' ? rule : withReferences(rule, table, references),
    ]);
    return { table: idOf(table), ...Object.fromEntries(entries) };
  });
  return { claims: declared, tables: stored };
}

function shapeOf({ tables }: Schema, name: string): TableShape {
  return tables.find((table) => table.name === name) as TableShape;
}
