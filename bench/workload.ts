/** The schema and the programs that the benchmarks send. */

export const itemTable = {
  name: 'item',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'name', type: 'text' },
    { name: 'price', type: 'float64' },
    { name: 'stock', type: 'int64' },
    { name: 'note', type: 'text' },
  ],
  primary_key: ['id'],
};

const columns = itemTable.columns.map(({ name, type }) => ({ name, type }));

export type ItemRow = readonly [number, string, number, number, string];

export function itemRow(id: number): ItemRow {
  return [id, `item number ${id}`, (id % 1000) + 0.25, id % 97, `note ${id % 13}`];
}

/** Creates rows [from, from + count). */
export function createItems(from: number, count: number): string {
  const rows = Array.from({ length: count }, (_, i) => itemRow(from + i).map(String));
  const node = { kind: 'rows', scope: 'r', columns, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return JSON.stringify({ statements: [{ kind: 'create', name: 'c', table: 'item', relation }] });
}

/** Gives one row another stock. */
export function updateItem(id: number, stock: number): string {
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'stock', type: 'int64' },
  ];
  const node = { kind: 'rows', scope: 'r', columns, rows: [[String(id), String(stock)]] };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return JSON.stringify({ statements: [{ kind: 'update', name: 'u', table: 'item', relation }] });
}

/** Reads one row by primary key. */
export function readItem(id: number): string {
  const equal = {
    kind: 'binary',
    op: 'eq',
    left: { kind: 'col', scope: 'i', column: 'id' },
    right: { kind: 'lit', value: { type: 'int64', value: String(id) } },
  };
  const relation = {
    nodes: {
      s: { kind: 'scan', table: 'item', scope: 'i' },
      f: { kind: 'filter', input: 's', predicate: equal },
    },
    root: { node: 'f', cardinality: 'first' },
  };
  return JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation }] });
}

export const memberTable = {
  name: 'member',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'email', type: 'text' },
    { name: 'visits', type: 'int64' },
  ],
  primary_key: ['id'],
  indexes: [{ name: 'by_email', columns: ['email'], unique: true }],
};

const emailOf = (id: number) => `member-${id}@example.org`;

/** Creates rows [from, from + count). */
export function createMembers(from: number, count: number): string {
  const rows = Array.from({ length: count }, (_, i) => [`${from + i}`, emailOf(from + i), '0']);
  const node = { kind: 'rows', scope: 'r', columns: memberTable.columns, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return JSON.stringify({ statements: [{ kind: 'create', name: 'c', table: 'member', relation }] });
}

/** Reads one row by its unique index. */
export function readMember(id: number): string {
  const email = { type: 'text', value: emailOf(id) };
  const relation = { nodes: memberBy('email', email), root: { node: 'f', cardinality: 'first' } };
  return JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation }] });
}

/** Removes one row, named by its primary key. */
export function deleteMember(id: number): string {
  const expr = { kind: 'col', scope: 'm', column: 'id' };
  const nodes = {
    ...memberBy('id', { type: 'int64', value: `${id}` }),
    p: { kind: 'project', input: 'f', fields: [{ as: 'id', expr }] },
  };
  const relation = { nodes, root: { node: 'p', cardinality: 'many' } };
  return JSON.stringify({ statements: [{ kind: 'delete', name: 'd', table: 'member', relation }] });
}

function memberBy(column: string, value: object) {
  const left = { kind: 'col', scope: 'm', column };
  const predicate = { kind: 'binary', op: 'eq', left, right: { kind: 'lit', value } };
  return {
    s: { kind: 'scan', table: 'member', scope: 'm' },
    f: { kind: 'filter', input: 's', predicate },
  };
}

export const accountTable = {
  name: 'account',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'balance', type: 'int64' },
  ],
  primary_key: ['id'],
};

export const accountCount = 10_000;
export const openingBalance = 1_000_000;

/** Creates all accounts. */
export function createAccounts(): string {
  const rows = Array.from({ length: accountCount }, (_, id) => [`${id}`, `${openingBalance}`]);
  const node = { kind: 'rows', scope: 'r', columns: accountTable.columns, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return JSON.stringify({
    statements: [{ kind: 'create', name: 'c', table: 'account', relation }],
  });
}

/** Reads both accounts and gives both another balance; the sum stays. */
export function transferProgram(from: number, to: number, amount: number): string {
  const statements = [added('d', from, -amount), added('c', to, amount)];
  return JSON.stringify({ statements, result: 'c' });
}

function added(name: string, id: number, amount: number): object {
  const column = (of: string) => ({ kind: 'col', scope: 's', column: of });
  const literal = (value: number) => ({ kind: 'lit', value: { type: 'int64', value: `${value}` } });
  const binary = (op: string, left: object, right: object) => ({ kind: 'binary', op, left, right });
  const fields = [
    { as: 'id', expr: column('id') },
    { as: 'balance', expr: binary('add', column('balance'), literal(amount)) },
  ];
  const nodes = {
    s: { kind: 'scan', table: 'account', scope: 's' },
    f: { kind: 'filter', input: 's', predicate: binary('eq', column('id'), literal(id)) },
    p: { kind: 'project', input: 'f', fields },
  };
  const relation = { nodes, root: { node: 'p', cardinality: 'many' } };
  return { kind: 'update', name, table: 'account', relation };
}
