/** Short hands for the programs of these workloads. Node ids and scope labels are the same. */

type Json = unknown;

export interface Relation {
  readonly nodes: Record<string, Json>;
  /** The last node. */
  readonly node: string;
}

export const int = (value: number | string): Json => ({
  kind: 'lit',
  value: { type: 'int64', value: `${value}` },
});
export const bool = (value: boolean): Json => ({ kind: 'lit', value: { type: 'bool', value } });
export const col = (scope: string, column: string): Json => ({ kind: 'col', scope, column });
export const not = (expr: Json): Json => ({ kind: 'unary', op: 'not', expr });
export const compare = (op: string, left: Json, right: Json): Json => ({
  kind: 'binary',
  op,
  left,
  right,
});
export const all = (first: Json, ...rest: Json[]): Json =>
  rest.reduce((left, right) => compare('and', left, right), first);

/** A relation that further nodes are put upon; its leaf is `id`, as is its scope. */
export class Chain implements Relation {
  readonly nodes: Record<string, Json>;
  readonly node: string;
  private readonly id: string;

  private constructor(nodes: Record<string, Json>, node: string, id: string) {
    this.nodes = nodes;
    this.node = node;
    this.id = id;
  }

  static scan(table: string, id: string): Chain {
    return new Chain({ [id]: { kind: 'scan', table, scope: id } }, id, id);
  }

  static ref(binding: string, id: string): Chain {
    return new Chain({ [id]: { kind: 'ref', binding, scope: id } }, id, id);
  }

  /** One row of int64 cells. */
  static row(id: string, cells: Record<string, number>): Chain {
    const columns = Object.keys(cells).map((name) => ({ name, type: 'int64' }));
    const rows = [Object.values(cells).map(String)];
    return new Chain({ [id]: { kind: 'rows', scope: id, columns, rows } }, id, id);
  }

  /** Takes over nodes that a crossing in the predicate or the fields needs. */
  with(...others: Relation[]): Chain {
    const nodes = Object.assign({}, this.nodes, ...others.map((it) => it.nodes));
    return new Chain(nodes, this.node, this.id);
  }

  where(predicate: Json): Chain {
    return this.on('f', { kind: 'filter', predicate });
  }

  orderBy(column: string): Chain {
    return this.on('o', { kind: 'order', terms: [{ expr: col(this.id, column) }] });
  }

  slice(limit: number): Chain {
    return this.on('l', { kind: 'slice', limit });
  }

  /** One row with the number of rows as `n`, in scope `<id>n`. */
  count(): Chain {
    const aggs = [{ fn: 'count', as: 'n' }];
    return this.on('n', { kind: 'aggregate', scope: `${this.id}n`, aggs });
  }

  pick(fields: Record<string, Json>): Chain {
    const list = Object.entries(fields).map(([as, expr]) => ({ as, expr }));
    return this.on('p', { kind: 'project', fields: list });
  }

  private on(suffix: string, node: object): Chain {
    const name = `${this.node}${suffix}`;
    return new Chain({ ...this.nodes, [name]: { ...node, input: this.node } }, name, this.id);
  }
}

export function statement(
  kind: 'query' | 'create' | 'update' | 'delete',
  name: string,
  { nodes, node }: Relation,
  more: { readonly table?: string; readonly cardinality?: string } = {},
): Json {
  const { table, cardinality = 'many' } = more;
  const relation = { nodes, root: { node, cardinality } };
  return { kind, name, ...(table === undefined ? {} : { table }), relation };
}

/** A query whose one row has an array for each of `bindings`, in the order of a column of each. */
export function arraysOf(name: string, bindings: Readonly<Record<string, string>>): Json {
  let row = Chain.row('one', { x: 0 });
  const fields: Record<string, Json> = { x: col('one', 'x') };
  for (const [binding, column] of Object.entries(bindings)) {
    const chain = Chain.ref(binding, `r_${binding}`).orderBy(column);
    row = row.with(chain);
    fields[binding] = { kind: 'array', node: chain.node };
  }
  return statement('query', name, row.pick(fields), { cardinality: 'exactly_one' });
}
