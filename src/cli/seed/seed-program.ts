/** The statements that write the rows of a seed, and those that delete all rows; as programs that fit into requests. */

import type { Catalog, Column, Table } from '#catalog';
import { CommandFailure } from '../frame/command-failure.ts';
import { keyOf, type PreparedRow, type PreparedTable } from './seed-rows.ts';
import { nullableColumns, parentsFirst, type Reference } from './table-order.ts';

type Statement = Readonly<Record<string, unknown>>;

/** Parents first; references in circles are NULL first and set afterwards. Throws a CommandFailure for those that cannot be. */
export function creatingStatements(prepared: readonly PreparedTable[]): readonly Statement[] {
  const order = parentsFirst(prepared.map(({ table }) => table));
  if (order.kind === 'circle') throw circular(order.names);
  const rowsOf = (table: Table) => prepared.find((it) => it.table === table)?.rows ?? [];
  const deferred = [
    ...order.deferred,
    ...order.tables.flatMap((it) => ownReferences(it, rowsOf(it))),
  ];
  const created = order.tables.flatMap((table) => {
    const late = deferred.filter((it) => it.table === table).flatMap(nullableColumns);
    return shapesOf(rowsOf(table)).map((rows) => {
      const columns = table.columns.filter(({ id }) => rows[0]?.cells.has(id));
      const cells = rows.map(({ cells }) =>
        columns.map(({ id }) => (late.includes(id) ? null : (cells.get(id) ?? null))),
      );
      return mutation('create', table, rowsNode(columns, cells));
    });
  });
  return [...created, ...deferred.flatMap((it) => settingStatement(it, rowsOf(it.table)))];
}

/** Children first, so that no key refuses it. */
export function deletingStatements({ tables }: Catalog): readonly Statement[] {
  const order = parentsFirst(tables);
  // Where no reference can be cleared the database says which key refuses.
  const { tables: ordered, deferred } =
    order.kind === 'ordered' ? order : { tables, deferred: [] as readonly Reference[] };
  const cleared = deferred.map((reference) => {
    const { table } = reference;
    const late = nullableColumns(reference);
    const fields = table.columns
      .filter(({ id }) => late.includes(id) || table.primaryKey.includes(id))
      .map(({ id, name, type }) => ({
        as: name,
        expr: late.includes(id) ? { kind: 'lit', value: { type } } : column(name),
      }));
    return mutation('update', table, scanNodes(table, fields));
  });
  const deleted = [...ordered].reverse().map((table) => {
    const key = table.columns.filter(({ id }) => table.primaryKey.includes(id));
    const fields = key.map(({ name }) => ({ as: name, expr: column(name) }));
    return mutation('delete', table, scanNodes(table, fields));
  });
  return [...cleared, ...deleted];
}

/** A request takes 4 MiB, and a program 1,000 statements, of which one is the answer. */
const bytesMax = 3.5 * 2 ** 20;
const statementsMax = 999;

/** What a program of several statements answers; the rows that were written are known here. */
const answer = JSON.stringify({
  kind: 'query',
  name: 'done',
  relation: {
    nodes: {
      r: { kind: 'rows', scope: 'r', columns: [{ name: 'n', type: 'int64' }], rows: [['1']] },
    },
    root: { node: 'r', cardinality: 'scalar' },
  },
});

/** As few programs as possible, as JSON text. */
export function programsOf(
  statements: readonly Statement[],
  { bytes = bytesMax, count = statementsMax } = {},
): readonly string[] {
  const programs: string[][] = [];
  let size = 0;
  for (const [i, statement] of statements.entries()) {
    const text = JSON.stringify({ ...statement, name: `s${i + 1}` });
    const last = programs.at(-1);
    const length = Buffer.byteLength(text);
    if (last === undefined || size + length > bytes || last.length >= count) {
      programs.push([text]);
      size = length;
    } else {
      last.push(text);
      size += length;
    }
  }
  return programs.map(
    (texts) => `{"statements":[${[...texts, answer].join(',')}],"result":"done"}`,
  );
}

/** References of a table to itself hold within one statement: where its rows need several, they are set afterwards. */
function ownReferences(table: Table, rows: readonly PreparedRow[]): readonly Reference[] {
  if (shapesOf(rows).length < 2) return [];
  const own = table.foreignKeys
    .filter(({ refTable }) => refTable === table.id)
    .filter(({ columns }) => rows.some((row) => keyOf(row, columns) !== undefined))
    .map((key): Reference => ({ table, key }));
  for (const reference of own) {
    if (nullableColumns(reference).length === 0) throw ragged(reference);
  }
  return own;
}

/** Rows with the same columns are written by one statement. */
function shapesOf(rows: readonly PreparedRow[]): readonly (readonly PreparedRow[])[] {
  const shapes = Map.groupBy(rows, ({ cells }) => [...cells.keys()].sort((a, b) => a - b).join());
  return [...shapes.values()];
}

function settingStatement(reference: Reference, rows: readonly PreparedRow[]): Statement[] {
  const { table, key } = reference;
  const late = nullableColumns(reference);
  const set = rows.filter((row) => keyOf(row, key.columns) !== undefined);
  if (set.length === 0) return [];
  if (set.some((row) => keyOf(row, table.primaryKey) === undefined)) throw keyless(reference);
  const columns = table.columns.filter(
    ({ id }) => late.includes(id) || table.primaryKey.includes(id),
  );
  const cells = set.map((row) => columns.map(({ id }) => row.cells.get(id) ?? null));
  return [mutation('update', table, rowsNode(columns, cells))];
}

interface Relation {
  readonly nodes: Readonly<Record<string, object>>;
  readonly root: string;
}

function rowsNode(
  columns: readonly Column[],
  rows: readonly (readonly (string | null)[])[],
): Relation {
  const typed = columns.map(({ name, type, nullable }) => ({
    name,
    type,
    ...(nullable && { nullable }),
  }));
  return { nodes: { r: { kind: 'rows', scope: 'r', columns: typed, rows } }, root: 'r' };
}

function scanNodes({ name }: Table, fields: readonly object[]): Relation {
  const r = { kind: 'scan', table: name, scope: 'r' };
  return { nodes: { r, p: { kind: 'project', input: 'r', fields } }, root: 'p' };
}

function column(name: string) {
  return { kind: 'col', scope: 'r', column: name };
}

function mutation(kind: string, { name }: Table, { nodes, root }: Relation): Statement {
  return { kind, table: name, relation: { nodes, root: { node: root, cardinality: 'many' } } };
}

function circular(names: readonly string[]): CommandFailure {
  return new CommandFailure({
    code: 'seed_circular',
    message: `no order of rows satisfies the foreign keys: ${[...names, names[0]].join(' → ')}, and none of these columns takes NULL`,
    hint: 'no row was written; make one of the columns nullable: its values are set once all rows are there',
  });
}

function ragged({ table, key }: Reference): CommandFailure {
  return new CommandFailure({
    code: 'seed_circular',
    message: `rows of "${table.name}" refer to each other by ${key.name}, so one statement has to write them all, and they have different columns`,
    hint: 'no row was written; give each row the same columns',
  });
}

function keyless({ table, key }: Reference): CommandFailure {
  return new CommandFailure({
    code: 'seed_circular',
    message: `${key.name} of "${table.name}" is set once all rows are there, and a row with it does not say its primary key`,
    hint: 'no row was written; write the primary keys of these rows',
  });
}
