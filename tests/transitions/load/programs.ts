/** The table of the check, and the programs that its clients send. */

export interface Item {
  readonly id: number;
  readonly stock: number;
  /** As it was written: text first, later a number. */
  readonly code: string;
  readonly tag: number;
  readonly note: number | null;
  readonly seat: number | null;
}

export type Column = keyof Item;
export type CodeType = 'text' | 'int64';

export const itemColumns: readonly Column[] = ['id', 'stock', 'code', 'tag', 'note', 'seat'];

export const itemTable = {
  name: 'item',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'stock', type: 'int64' },
    { name: 'code', type: 'text' },
    { name: 'tag', type: 'int64' },
    { name: 'note', type: 'int64', nullable: true },
    { name: 'seat', type: 'int64', nullable: true },
  ],
  primary_key: ['id'],
  indexes: [{ name: 'item_seat', columns: ['seat'], unique: true }],
};

export interface Program {
  readonly statements: readonly object[];
  readonly result?: string;
}

export function write(
  kind: 'create' | 'update' | 'delete',
  columns: readonly Column[],
  items: readonly Partial<Item>[],
  codeType: CodeType,
): object {
  const declared = columns.map((name) => ({
    name,
    type: name === 'code' ? codeType : 'int64',
    ...(items.some((item) => item[name] === null) && { nullable: true }),
  }));
  const rows = items.map((item) => columns.map((name) => cell(item[name], name, codeType)));
  const node = { kind: 'rows', scope: 'r', columns: declared, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { kind, name: 'w', table: 'item', relation };
}

function cell(value: Item[Column] | undefined, name: Column, codeType: CodeType): string | null {
  if (value === null || value === undefined) return null;
  return name === 'code' && codeType === 'int64' && /^[-+]?\d+$/.test(String(value))
    ? String(Number(value))
    : String(value);
}

export interface Range {
  readonly column: Column;
  readonly from: number;
  /** Exclusive; absent: only `from` itself. */
  readonly to?: number;
}

/** The rows that lie in all ranges, by id. */
export function read(...ranges: readonly Range[]): object {
  const terms = ranges.flatMap(({ column, from, to }) =>
    to === undefined
      ? [compare('eq', column, from)]
      : [compare('gte', column, from), compare('lt', column, to)],
  );
  const predicate = terms.reduce((left, right) => ({ kind: 'binary', op: 'and', left, right }));
  const nodes = {
    s: { kind: 'scan', table: 'item', scope: 's' },
    f: { kind: 'filter', input: 's', predicate },
    o: { kind: 'order', input: 'f', terms: [{ expr: columnOf('id') }] },
  };
  return {
    kind: 'query',
    name: 'q',
    relation: { nodes, root: { node: 'o', cardinality: 'many' } },
  };
}

function compare(op: string, column: Column, value: number): object {
  const right = { kind: 'lit', value: { type: 'int64', value: String(value) } };
  return { kind: 'binary', op, left: columnOf(column), right };
}

function columnOf(column: Column): object {
  return { kind: 'col', scope: 's', column };
}
