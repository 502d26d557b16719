/** Random policies over given tables, with ids as in the catalog. They need not have fitting types. */

import fc from 'fast-check';
import {
  type Catalog,
  claimTypes,
  type Policies,
  type PolicyAction,
  type PolicyCondition,
  type PolicyExpressionOf,
  type PolicyNodeOf,
  policyActions,
  rowScope,
  type Table,
  type TablePolicy,
} from '#catalog';
import { scalarTypes } from '#value';

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
        .map((types) => names.toSorted().map((name, i) => ({ name, type: types[i] as 'text' }))),
    );
  return claims.chain((known) => {
    const names = known.map(({ name }) => name);
    return fc
      .subarray([...catalog.tables])
      .chain((tables) => fc.tuple(...tables.map((table) => policyOf(catalog, table, names))))
      .map((tables) => ({ claims: known, tables }));
  });
}

function policyOf(
  catalog: Catalog,
  table: Table,
  claims: readonly string[],
): fc.Arbitrary<TablePolicy> {
  const condition = conditionOf(catalog, table, claims);
  const rule = (action: PolicyAction) =>
    fc.oneof(
      fc.constant('all' as const),
      ...(action === 'read' ? [] : [fc.constant('same_as_read' as const)]),
      condition,
    );
  return fc.record({
    table: fc.constant(table.id),
    read: rule('read'),
    ...Object.fromEntries(
      policyActions
        .filter((action) => action !== 'read')
        .map((action) => [action, fc.option(rule(action), { nil: undefined })]),
    ),
  }) as unknown as fc.Arbitrary<TablePolicy>;
}

function conditionOf(
  catalog: Catalog,
  table: Table,
  claims: readonly string[],
): fc.Arbitrary<PolicyCondition> {
  const own: Scopes = [[rowScope, table]];
  const bare = expressionOf(own, claims, 3).map((where) => ({ where }));
  const withNodes = nodesOf(catalog, own, claims).chain(({ root, nodes }) =>
    expressionOf(own, claims, 2).map((right) => ({
      where: { kind: 'binary', op: 'and', left: { kind: 'exists', node: root }, right } as const,
      nodes,
    })),
  );
  return fc.oneof(bare, withNodes);
}

type Scopes = readonly (readonly [string, Table])[];

function nodesOf(catalog: Catalog, own: Scopes, claims: readonly string[]) {
  const table = fc.constantFrom(...catalog.tables);
  return fc
    .tuple(table, table, fc.constantFrom('m', '1', 'a b', '__proto__'))
    .chain(([a, b, root]) => {
      const under = [...own, ['x', a] as const];
      const both = [...under, ['null', b] as const];
      return fc
        .tuple(expressionOf(under, claims, 1), expressionOf(both, claims, 1))
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
  scopes: Scopes,
  claims: readonly string[],
  depth: number,
): fc.Arbitrary<Expression> {
  const type = fc.constantFrom(...scalarTypes);
  const literal = type.chain((of) =>
    (of === 'bool' ? fc.boolean() : fc.constantFrom(...texts)).map((value) => ({
      kind: 'lit' as const,
      value: { type: of, value } as Extract<Expression, { kind: 'lit' }>['value'],
    })),
  );
  const column = fc
    .constantFrom(...scopes)
    .chain(([scope, { columns }]) =>
      fc.constantFrom(...columns).map(({ id }) => ({ kind: 'col' as const, scope, column: id })),
    );
  const claim = fc.constantFrom(...claims).map((name) => ({ kind: 'claim' as const, name }));
  const leaf: fc.Arbitrary<Expression> = fc.oneof(literal, column, claim);
  if (depth === 0) return leaf;
  const inner = expressionOf(scopes, claims, depth - 1);
  const part = fc.oneof(
    fc.constant({ kind: 'any_many' as const }),
    fc
      .constantFrom(...texts.filter((text) => text !== ''))
      .map((value) => ({ kind: 'literal' as const, value })),
  );
  return fc.oneof(
    leaf,
    fc.record({
      kind: fc.constant('unary' as const),
      op: fc.constantFrom('not' as const, 'is_null' as const, 'negate' as const),
      expr: inner,
    }),
    fc.record({
      kind: fc.constant('binary' as const),
      op: fc.constantFrom('eq' as const, 'lt' as const, 'and' as const, 'or' as const),
      left: inner,
      right: inner,
    }),
    fc.record({ kind: fc.constant('cast' as const), expr: inner, to: type }),
    fc.record({
      kind: fc.constant('coalesce' as const),
      args: fc.array(inner, { minLength: 2, maxLength: 2 }),
    }),
    fc.record({
      kind: fc.constant('text_match' as const),
      value: inner,
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    }),
  );
}
