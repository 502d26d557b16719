/** A bank whose programs keep one sum constant, whatever is read when: accounts, a ledger, and a catalog that grows with it. */

export const accounts = 20;
export const opening = 1000;

type Program = { readonly statements: readonly unknown[]; readonly result?: string };

const int64 = (name: string) => ({ name, type: 'int64' });
const literal = (value: number) => ({ kind: 'lit', value: { type: 'int64', value: `${value}` } });
const column = (name: string) => ({ kind: 'col', scope: 's', column: name });

const rows = (columns: readonly string[], cells: readonly (readonly (string | number)[])[]) => ({
  nodes: {
    r: {
      kind: 'rows',
      scope: 'r',
      columns: columns.map((name) => (name === 'note' ? { name, type: 'text' } : int64(name))),
      rows: cells.map((row) => row.map((cell) => `${cell}`)),
    },
  },
  root: { node: 'r', cardinality: 'many' },
});

export const tables = [
  {
    name: 'account',
    columns: [int64('id'), int64('balance'), { name: 'note', type: 'text' }],
    primary_key: ['id'],
  },
  { name: 'ledger', columns: [int64('id'), int64('transfers')], primary_key: ['id'] },
];

export const fill: Program = {
  statements: [
    {
      kind: 'create',
      name: 'a',
      table: 'account',
      relation: rows(
        ['id', 'balance', 'note'],
        Array.from({ length: accounts }, (_, id) => [id, opening, 'opened']),
      ),
    },
    { kind: 'create', name: 'l', table: 'ledger', relation: rows(['id', 'transfers'], [[0, 0]]) },
  ],
  result: 'l',
};

/** Adds `by` to one cell of the row with this id. */
function add(table: string, name: string, id: number, cell: string, by: number, note?: string) {
  const sum = { kind: 'binary', op: 'add', left: column(cell), right: literal(by) };
  const noted =
    note === undefined
      ? []
      : [{ as: 'note', expr: { kind: 'lit', value: { type: 'text', value: note } } }];
  const nodes = {
    s: { kind: 'scan', table, scope: 's' },
    f: {
      kind: 'filter',
      input: 's',
      predicate: { kind: 'binary', op: 'eq', left: column('id'), right: literal(id) },
    },
    p: {
      kind: 'project',
      input: 'f',
      fields: [{ as: 'id', expr: column('id') }, { as: cell, expr: sum }, ...noted],
    },
  };
  return {
    kind: 'update',
    name,
    table,
    relation: { nodes, root: { node: 'p', cardinality: 'many' } },
  };
}

/** Moves money between two accounts and counts it; `note` gives the store something to merge. */
export function transfer(from: number, to: number, amount: number, note: string): Program {
  return {
    statements: [
      add('account', 'debit', from, 'balance', -amount, note),
      add('account', 'credit', to, 'balance', amount, note),
      add('ledger', 'count', 0, 'transfers', 1),
    ],
    result: 'count',
  };
}

/** A table more, and a ledger that is a million ahead of where it was: both or neither. */
export function epoch(number: number): Program {
  return {
    statements: [
      {
        kind: 'create_table',
        name: 't',
        table: { name: `epoch_${number}`, columns: [int64('id')], primary_key: ['id'] },
      },
      add('ledger', 'jump', 0, 'transfers', 1_000_000),
    ],
    result: 'jump',
  };
}

/** One row: the sum of all balances, how many accounts, and the ledger's count. */
export const audit: Program = {
  statements: [
    {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: {
          s: { kind: 'scan', table: 'account', scope: 's' },
          total: {
            kind: 'aggregate',
            input: 's',
            aggs: [
              { as: 'sum', fn: 'sum', arg: column('balance') },
              { as: 'count', fn: 'count' },
            ],
          },
        },
        root: { node: 'total', cardinality: 'exactly_one' },
      },
    },
  ],
};

/** The ledger's count, asked for together with the table of an epoch: unknown until the epoch has begun. */
export function auditEpoch(number: number): Program {
  const nodes = {
    s: { kind: 'scan', table: 'ledger', scope: 's' },
    p: {
      kind: 'project',
      input: 's',
      fields: [{ as: 'transfers', expr: column('transfers') }],
    },
  };
  const known = {
    s: { kind: 'scan', table: `epoch_${number}`, scope: 's' },
    a: { kind: 'aggregate', input: 's', aggs: [{ as: 'n', fn: 'count' }] },
  };
  return {
    statements: [
      {
        kind: 'query',
        name: 'known',
        relation: { nodes: known, root: { node: 'a', cardinality: 'exactly_one' } },
      },
      {
        kind: 'query',
        name: 'ledger',
        relation: { nodes, root: { node: 'p', cardinality: 'exactly_one' } },
      },
    ],
    result: 'ledger',
  };
}
