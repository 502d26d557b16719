/** Short forms of LIR for the questions. */

/** `o.total`, a number, or an expression as it is. */
type Term = string | object;

export function term(value: Term): object {
  if (typeof value !== 'string') return value;
  const [scope, column] = value.split('.');
  return { kind: 'col', scope, column };
}

export function lit(type: 'int64' | 'float64' | 'text', value: string | number): object {
  return { kind: 'lit', value: { type, value: String(value) } };
}

export function binary(op: 'eq' | 'gt' | 'gte' | 'lt', left: Term, right: Term): object {
  return { kind: 'binary', op, left: term(left), right: term(right) };
}

export function scan(table: string, scope: string): object {
  return { kind: 'scan', table, scope };
}

export function filter(input: string, predicate: object): object {
  return { kind: 'filter', input, predicate };
}

/** A minus before a term makes it descending. */
export function order(input: string, ...terms: readonly string[]): object {
  const parsed = terms.map((name) =>
    name.startsWith('-') ? { expr: term(name.slice(1)), desc: true } : { expr: term(name) },
  );
  return { kind: 'order', input, terms: parsed };
}

export function limited(input: string, limit: number, offset = 0): object {
  return { kind: 'slice', input, limit, ...(offset > 0 && { offset }) };
}

export function project(input: string, fields: Record<string, Term>): object {
  const list = Object.entries(fields).map(([as, value]) => ({ as, expr: term(value) }));
  return { kind: 'project', input, fields: list };
}

export function join(left: string, right: string, on: object): object {
  return { kind: 'join', left, right, join: 'inner', on };
}

export function aggregate(
  input: string,
  scope: string,
  groups: Record<string, Term>,
  aggs: Record<string, readonly [string, Term?]>,
): object {
  const keys = Object.entries(groups).map(([as, value]) => ({ as, expr: term(value) }));
  return {
    kind: 'aggregate',
    input,
    scope,
    ...(keys.length > 0 && { groups: keys }),
    aggs: Object.entries(aggs).map(([as, [fn, of]]) => ({
      fn,
      as,
      ...(of !== undefined && { arg: term(of) }),
    })),
  };
}

type Cardinality = 'many' | 'exactly_one' | 'first';

/** The last node is the root. */
export function relationOf(nodes: Record<string, object>, cardinality: Cardinality): object {
  return { nodes, root: { node: Object.keys(nodes).at(-1), cardinality } };
}

/** A program of one query; the last node is its root. */
export function programOf(
  nodes: Record<string, object>,
  cardinality: Cardinality = 'many',
): string {
  const relation = relationOf(nodes, cardinality);
  return JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation }], result: 'q' });
}
