/** Relations and programs as they go over the wire, in few words. */

export type Node = Readonly<Record<string, unknown>>;
export type Expr = Readonly<Record<string, unknown>>;
export type Cardinality = 'many' | 'first' | 'exactly_one' | 'scalar';

export interface Relation {
  readonly nodes: Readonly<Record<string, Node>>;
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly root: { readonly node: string; readonly cardinality: Cardinality };
}

export const col = (scope: string, column: string): Expr => ({ kind: 'col', scope, column });
export const int = (value: number): Expr => ({
  kind: 'lit',
  value: { type: 'int64', value: `${value}` },
});
export const text = (value: string): Expr => ({ kind: 'lit', value: { type: 'text', value } });
export const yes: Expr = { kind: 'lit', value: { type: 'bool', value: true } };
export const binary = (op: string, left: Expr, right: Expr): Expr => ({
  kind: 'binary',
  op,
  left,
  right,
});
export const crossing = (kind: string, node: string): Expr => ({ kind, node });

export const scan = (table: string, scope: string): Node => ({ kind: 'scan', table, scope });
export const filter = (input: string, predicate: Expr): Node => ({
  kind: 'filter',
  input,
  predicate,
});
export const order = (input: string, ...exprs: readonly Expr[]): Node => ({
  kind: 'order',
  input,
  terms: exprs.map((expr) => ({ expr })),
});
export const slice = (input: string, limit: number): Node => ({ kind: 'slice', input, limit });
export const distinct = (input: string): Node => ({ kind: 'distinct', input });
export const ref = (binding: string, scope: string): Node => ({ kind: 'ref', binding, scope });

export function project(input: string, fields: Readonly<Record<string, Expr>>, scope?: string) {
  const list = Object.entries(fields).map(([as, expr]) => ({ as, expr }));
  return { kind: 'project', input, fields: list, ...(scope !== undefined && { scope }) };
}

export function join(left: string, right: string, on: Expr, kind = 'inner'): Node {
  return { kind: 'join', left, right, join: kind, on };
}

/** How many rows `input` has, as column `n`. */
export function count(input: string, scope = 'counted'): Node {
  return { kind: 'aggregate', input, scope, aggs: [{ fn: 'count', as: 'n' }] };
}

export function aggregate(
  input: string,
  scope: string,
  groups: readonly Expr[],
  aggs: Readonly<Record<string, readonly [fn: string, arg?: Expr]>>,
): Node {
  return {
    kind: 'aggregate',
    input,
    scope,
    ...(groups.length > 0 && { groups: groups.map((expr, i) => ({ expr, as: `g${i}` })) }),
    aggs: Object.entries(aggs).map(([as, [fn, arg]]) => ({ fn, as, ...(arg && { arg }) })),
  };
}

/** A list of int64 in the column `n`. */
export function numbers(scope: string, from: number, to: number): Node {
  const rows = Array.from({ length: to - from }, (_, i) => [`${from + i}`]);
  return { kind: 'rows', scope, columns: [{ name: 'n', type: 'int64' }], rows };
}

export function relation(
  nodes: Readonly<Record<string, Node>>,
  root: string,
  cardinality: Cardinality = 'many',
  bindings?: Readonly<Record<string, unknown>>,
): Relation {
  return { nodes, ...(bindings && { bindings }), root: { node: root, cardinality } };
}

export function statement(
  kind: 'create' | 'update' | 'delete',
  table: string,
  of: Relation,
  name = 'w',
) {
  return { kind, name, table, relation: of };
}

export const query = (of: Relation, name = 'q') => ({ kind: 'query', name, relation: of });

/** The body of `POST /execute`. */
export function program(statements: readonly { readonly name: string }[], result?: string): string {
  return JSON.stringify({ statements, result: result ?? statements.at(-1)?.name });
}

export const ask = (of: Relation): string => program([query(of)]);
