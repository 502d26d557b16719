/** Builds the statements that write the rows of a seed file and those that delete all rows, and groups them into programs that fit into requests. */

import type { Catalog, Column, Table } from '#catalog';
import { CommandFailure } from '../frame/command-failure.ts';
import { keyOf, type PreparedRow, type PreparedTable } from './seed-rows.ts';
import { nullableColumns, parentsFirst, type Reference } from './table-order.ts';

type Statement = Readonly<Record<string, unknown>>;

/**
 * Returns the statements that create the rows, parents first. References in a circle are NULL at first and set afterwards. Throws a CommandFailure if a
 * reference cannot be NULL.
 */
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

/** Returns the statements that delete all rows, children first, so that no foreign key rejects a deletion. */
export function deletingStatements({ tables }: Catalog): readonly Statement[] {
  const order = parentsFirst(tables);
  // If no reference can be cleared, the database reports the foreign key that rejects the deletion.
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

/** A request may have 4 MiB. A program may have 1,000 statements, one of which is `answer`. */
const bytesMax = 3.5 * 2 ** 20;
const statementsMax = 999;

/** The result of each program. The result is constant because the command already has the rows that it writes. */
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

/** Groups statements into as few programs as possible. Returns them as JSON text. */
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

/**
 * Returns the references of a table to itself that must be set afterwards. They hold within one statement, so this applies only if the rows need several
 * statements.
 */
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

/** Groups rows with the same columns. One statement writes each group. */
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
    message: `no order of rows satisfies the foreign keys: ${[...names, names[0]].join(' → ')}, and none of these columns accepts NULL`,
    hint: 'no row was written; make one of the columns nullable, so that its values can be set after all rows exist',
  });
}

function ragged({ table, key }: Reference): CommandFailure {
  return new CommandFailure({
    code: 'seed_circular',
    message: `rows of "${table.name}" reference each other by ${key.name}, so one statement must write them all, but they have different columns`,
    hint: 'no row was written; give each row the same columns',
  });
}

function keyless({ table, key }: Reference): CommandFailure {
  return new CommandFailure({
    code: 'seed_circular',
    message: `${key.name} of "${table.name}" is set after all rows exist, but a row with it has no primary key`,
    hint: 'no row was written; add the primary keys of these rows',
  });
}
