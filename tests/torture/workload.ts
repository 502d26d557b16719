/** Programs whose halves can be told apart: each creates a row in two tables and moves a counter. */

export const tortureTables = [
  {
    name: 'debit',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'note', type: 'text' },
    ],
    primary_key: ['id'],
  },
  {
    name: 'credit',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'debit_id', type: 'int64' },
    ],
    primary_key: ['id'],
    indexes: [{ name: 'credit_debit_id_uq', columns: ['debit_id'], unique: true }],
    foreign_keys: [
      {
        name: 'credit_debit_id_fk',
        columns: ['debit_id'],
        ref_table: 'debit',
        ref_columns: ['id'],
        on_delete: 'restrict',
      },
    ],
  },
];

/** One transaction that must be there as a whole or not at all. */
export function transferProgram(id: number, noteBytes = 0): unknown {
  const note = `note of ${id} `.padEnd(noteBytes, 'x');
  return {
    statements: [
      createStatement('d', 'debit', ['id', 'note'], [String(id), note]),
      createStatement('c', 'credit', ['id', 'debit_id'], [String(-id), String(id)]),
    ],
    result: 'd',
  };
}

function createStatement(
  name: string,
  table: string,
  columns: readonly string[],
  cells: readonly string[],
): unknown {
  const node = {
    kind: 'rows',
    scope: 'r',
    columns: columns.map((column) => ({
      name: column,
      type: column === 'note' ? 'text' : 'int64',
    })),
    rows: [cells],
  };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { kind: 'create', name, table, relation };
}

/** The column's values from `least` on, in order. */
export function idsFrom(table: string, column: string, least: number): unknown {
  const col = { kind: 'col', scope: 's', column };
  const bound = { kind: 'lit', value: { type: 'int64', value: String(least) } };
  const nodes = {
    s: { kind: 'scan', table, scope: 's' },
    f: {
      kind: 'filter',
      input: 's',
      predicate: { kind: 'binary', op: 'gte', left: col, right: bound },
    },
    o: { kind: 'order', input: 'f', terms: [{ expr: col }] },
    p: { kind: 'project', input: 'o', fields: [{ as: 'id', expr: col }] },
  };
  return {
    statements: [
      { kind: 'query', name: 'q', relation: { nodes, root: { node: 'p', cardinality: 'many' } } },
    ],
  };
}
