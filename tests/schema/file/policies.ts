/** Random policies over given tables, with ids as in the catalog. Their types fit. */

import fc from 'fast-check';
import {
  type Catalog,
  type ClaimType,
  claimTypes,
  type Policies,
  type PolicyAction,
  type PolicyClaim,
  type PolicyCondition,
  type PolicyExpressionOf,
  type PolicyNodeOf,
  policyActions,
  rowScope,
  type Table,
  type TablePolicy,
} from '#catalog';
import type { UnaryOperator } from '#lir';
import { type ScalarType, scalarTypes } from '#value';

type Expression = PolicyExpressionOf<number>;
type Node = PolicyNodeOf<number>;

const claimNames = ['sub', 'org', 'true', '1', 'constructor', '__proto__', 'a b'];
const texts = ['', 'a', 'true', '1', '~', 'a: b', '# c', '"q"', 'é', '\u2028', ' x ', '{ a }'];

export function policiesOf(catalog: Catalog): fc.Arbitrary<Policies> {
  const claims = fc
    .uniqueArray(fc.constantFrom(...claimNames), { minLength: 1 })
    .chain((names) =>
      fc
        .tuple(...names.map(() => fc.constantFrom(...claimTypes)))
        .map((types) => names.toSorted().map((name, i) => ({ name, type: types[i] as ClaimType }))),
    );
  return claims.chain((known) =>
    fc
      .subarray([...catalog.tables])
      .chain((tables) => fc.tuple(...tables.map((table) => policyOf(catalog, table, known))))
      .map((tables) => ({ claims: known, tables })),
  );
}

type Claims = readonly PolicyClaim[];

function policyOf(catalog: Catalog, table: Table, claims: Claims): fc.Arbitrary<TablePolicy> {
  const condition = conditionOf(catalog, table, claims);
  const rule = (action: PolicyAction) =>
    fc.oneof(
      fc.constant('all' as const),
      ...(action === 'read' ? [] : [fc.constant('same_as_read' as const)]),
      condition,
    );
  const others = policyActions.filter((action) => action !== 'read');
  return fc.record({
    table: fc.constant(table.id),
    read: rule('read'),
    ...Object.fromEntries(
      others.map((action) => [action, fc.option(rule(action), { nil: undefined })]),
    ),
  }) as unknown as fc.Arbitrary<TablePolicy>;
}

function conditionOf(
  catalog: Catalog,
  table: Table,
  claims: Claims,
): fc.Arbitrary<PolicyCondition> {
  const own: Scopes = [[rowScope, table]];
  const bare = expressionOf('bool', own, claims, 3).map((where) => ({ where }));
  const withNodes = nodesOf(catalog, own, claims).chain(({ root, nodes }) =>
    expressionOf('bool', own, claims, 2).map((right) => ({
      where: { kind: 'binary', op: 'and', left: { kind: 'exists', node: root }, right } as const,
      nodes,
    })),
  );
  return fc.oneof(bare, withNodes);
}

type Scopes = readonly (readonly [string, Table])[];

function nodesOf(catalog: Catalog, own: Scopes, claims: Claims) {
  const table = fc.constantFrom(...catalog.tables);
  const name = fc.constantFrom('m', '1', 'a b', '__proto__');
  return fc.tuple(table, table, name).chain(([a, b, root]) => {
    const under = [...own, ['x', a] as const];
    const both = [...under, ['null', b] as const];
    return fc
      .tuple(expressionOf('bool', under, claims, 1), expressionOf('bool', both, claims, 1))
      .map(([predicate, on]) => ({
        root,
        nodes: Object.fromEntries<Node>([
          [root, { kind: 'join', left: 'f', right: 'z', join: 'inner', on }],
          ['z', { kind: 'scan', table: b.id, scope: 'null' }],
          ['f', { kind: 'filter', input: 's', predicate }],
          ['s', { kind: 'scan', table: a.id, scope: 'x' }],
        ]),
      }));
  });
}

function expressionOf(
  type: ScalarType,
  scopes: Scopes,
  claims: Claims,
  depth: number,
): fc.Arbitrary<Expression> {
  const columns = scopes.flatMap(([scope, table]) =>
    table.columns
      .filter((column) => column.type === type)
      .map(({ id }): Expression => ({ kind: 'col', scope, column: id })),
  );
  const fitting = claims
    .filter((claim) => typeOf(claim) === type)
    .map(({ name }): Expression => ({ kind: 'claim', name }));
  const given = [...columns, ...fitting];
  const leaf = fc.oneof(literalOf(type), ...(given.length > 0 ? [fc.constantFrom(...given)] : []));
  if (depth === 0) return leaf;
  const inner = (of: ScalarType) => expressionOf(of, scopes, claims, depth - 1);
  const both = inner(type);
  return fc.oneof(
    leaf,
    fc.record({ kind: fc.constant('coalesce' as const), args: fc.tuple(both, both) }),
    fc.record({ kind: fc.constant('cast' as const), expr: both, to: fc.constant(type) }),
    ...(type === 'bool' ? testsOf(inner) : []),
    ...(type === 'float64' ? [unary(['negate'], both)] : []),
  );
}

function typeOf({ type }: PolicyClaim): ScalarType {
  return scalarTypes.find((one) => one === type) ?? 'bytes';
}

function literalOf(type: ScalarType): fc.Arbitrary<Expression> {
  const value =
    type === 'bool' ? fc.boolean() : fc.constantFrom(...(type === 'text' ? texts : samples[type]));
  return value.map((one) => ({ kind: 'lit', value: { type, value: one } }) as Expression);
}

const samples = { int64: ['7', '-1'], float64: ['1.5', '2'], bytes: ['AAE=', ''] };

function unary(ops: readonly UnaryOperator[], expr: fc.Arbitrary<Expression>) {
  return fc.record({ kind: fc.constant('unary' as const), op: fc.constantFrom(...ops), expr });
}

function testsOf(inner: (type: ScalarType) => fc.Arbitrary<Expression>) {
  const any = fc.constantFrom(...scalarTypes);
  const part = fc.oneof(
    fc.constant({ kind: 'any_many' as const }),
    fc
      .constantFrom(...texts.filter((text) => text !== ''))
      .map((value) => ({ kind: 'literal' as const, value })),
  );
  const binary = (ops: readonly ('eq' | 'lt' | 'and' | 'or')[], type: ScalarType) =>
    fc.record({
      kind: fc.constant('binary' as const),
      op: fc.constantFrom(...ops),
      left: inner(type),
      right: inner(type),
    });
  return [
    binary(['and', 'or'], 'bool'),
    any.chain((type) => binary(['eq', 'lt'], type)),
    any.chain((type) => unary(['is_null', 'is_not_null'], inner(type))),
    unary(['not'], inner('bool')),
    fc.record({
      kind: fc.constant('text_match' as const),
      value: inner('text'),
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    }),
  ];
}
