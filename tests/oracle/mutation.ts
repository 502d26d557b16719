/** create, update and delete: shape checks, and one set of changes with constraints on the state that it leaves (docs/pir.md §4). */

import type { PolicyAction } from '#catalog';
import type { MutationStatement } from '#pir';
import { columnName, type Database, type OracleTable, ordinalOf } from './database.ts';
import { removeRows } from './on-delete.ts';
import { permits, requirePermitted } from './policies.ts';
import { failed, invalid, type OracleProblem, SeveralProblems } from './problem.ts';
import type { Column, Relation, Row } from './relation.ts';
import { Bytes, compareValues, identityOf, rowIdentity, type Value } from './value.ts';

const identifierBytes: Readonly<Record<string, number>> = { uuid: 16, ulid: 16, xid: 12 };

/** A distinct value of the right kind; what a generator really draws is not comparable. */
function generated(func: string): Value {
  drawn++;
  if (func === 'now_ms') return BigInt(drawn);
  const data = new Uint8Array(identifierBytes[func.replace(/_v[47]$/, '')] as number);
  new DataView(data.buffer).setUint32(data.length - 4, drawn);
  return new Bytes(data);
}

let drawn = 0;

export function checkShape(
  statement: MutationStatement,
  relation: Relation,
  table: OracleTable,
): void {
  const seen = new Set<string>();
  for (const column of relation.columns) {
    if (seen.has(column.name)) throw invalid('projection_collision');
    seen.add(column.name);
    const target = table.columns.find((candidate) => candidate.name === column.name);
    if (target === undefined) throw invalid('unknown_column', column.name);
    if (target.type !== column.type) throw invalid('type_mismatch', column.name);
    const isNullProblem = column.nullable && !target.nullable && statement.kind !== 'delete';
    if (isNullProblem) throw invalid('type_mismatch', `${column.name} nullable`);
  }
  const key = table.primaryKey.map((id) => columnName(table, id));
  const hasKey = key.every((name) => seen.has(name));
  const absent = table.columns.filter((column) => !seen.has(column.name));
  const isFine =
    statement.kind === 'create'
      ? absent.every((column) => column.nullable || column.default !== undefined)
      : hasKey && (statement.kind === 'update' ? seen.size > key.length : seen.size === key.length);
  if (!isFine) throw invalid('type_mismatch', statement.kind);
  const { isOrdered, isListed = false, bound } = relation;
  const hasOrder = isOrdered || isListed || bound <= 1 || isAnyOrder(statement);
  if (statement.ordered === true && !hasOrder) throw invalid('nondeterministic_order');
}

export function isAnyOrder({ relation }: MutationStatement): boolean {
  return relation.root.unordered === true;
}

/** Applies the statement and returns its result rows, in table column order. */
export function mutate(
  statement: MutationStatement,
  database: Database,
  columns: readonly Column[],
  rows: readonly Row[],
): readonly Row[] {
  const table = database.tables.find(
    (candidate) => candidate.name === statement.table,
  ) as OracleTable;
  const slots = table.columns.map((column) =>
    columns.findIndex((given) => given.name === column.name),
  );
  const isOrdered = statement.ordered === true;
  if (statement.kind === 'create') return create(database, table, { slots, isOrdered }, rows);
  const permitted = table.rows.filter((row) =>
    permits(database, table, ['read', statement.kind as PolicyAction], row),
  );
  const targets = findTargets(table, permitted, slots, rows);
  if (statement.kind === 'delete') {
    removeRows(database, table, targets);
    return targets;
  }
  return update(database, table, { slots, rows, targets });
}

function create(
  database: Database,
  table: OracleTable,
  { slots, isOrdered }: { readonly slots: readonly number[]; readonly isOrdered: boolean },
  rows: readonly Row[],
): readonly Row[] {
  const made = rows.map((row) =>
    table.columns.map((column, i) => {
      const slot = slots[i] as number;
      if (slot >= 0) return row[slot] as Value;
      if (column.default === undefined) return null;
      if ('value' in column.default) return column.default.value;
      if (column.default.func === 'increment') return null;
      return generated(column.default.func);
    }),
  );
  const isPending = (i: number) => {
    const given = table.columns[i]?.default;
    return slots[i] === -1 && given !== undefined && 'func' in given;
  };
  checkCells(table, made, isPending);
  for (const [i, column] of table.columns.entries()) {
    const given = column.default;
    if (given === undefined || !('func' in given) || given.func !== 'increment') continue;
    if (isOrdered && slots[i] === -1) numberInOrder(table, i, made);
    else numberRows(table, i, slots[i] === -1, made);
  }
  requirePermitted(database, table, 'create', made);
  const keys = made.map((row) => keyOf(table, row));
  const isTaken = new Set(table.rows.map((row) => keyOf(table, row)));
  if (new Set(keys).size !== keys.length || keys.some((key) => isTaken.has(key))) {
    throw invalid('constraint_violation', 'primary key');
  }
  table.rows.push(...made);
  checkUnique(table);
  checkReferences(database, table);
  return made;
}

/** Raises the mark, and numbers the rows without a value in the order of their other columns. */
function numberRows(table: OracleTable, at: number, isAbsent: boolean, rows: Value[][]): void {
  const { id } = table.columns[at] as { id: number };
  let mark = table.marks.get(id) ?? 0n;
  for (const row of rows)
    if (!isAbsent && row[at] !== null && (row[at] as bigint) > mark) mark = row[at] as bigint;
  if (isAbsent) {
    const sorted = [...rows].sort((a, b) => {
      for (const i of a.keys()) {
        const order = i === at ? 0 : compareValues(a[i] as Value, b[i] as Value);
        if (order !== 0) return order;
      }
      return 0;
    });
    numberInOrder(table, at, sorted);
    return;
  }
  table.marks.set(id, mark);
}

function numberInOrder(table: OracleTable, at: number, rows: readonly Value[][]): void {
  const { id } = table.columns[at] as { id: number };
  let mark = table.marks.get(id) ?? 0n;
  for (const row of rows) {
    mark++;
    if (mark >= 2n ** 63n) throw failed('numeric_overflow');
    row[at] = mark;
  }
  table.marks.set(id, mark);
}

function checkCells(
  table: OracleTable,
  rows: readonly Row[],
  isPending: (i: number) => boolean,
): void {
  const problems: OracleProblem[] = [];
  for (const row of rows) {
    for (const [i, column] of table.columns.entries()) {
      const value = row[i] as Value;
      if (value === null && !column.nullable && !isPending(i)) {
        problems.push(invalid('constraint_violation', 'NULL'));
      }
      const size = value instanceof Bytes ? identifierBytes[column.format ?? ''] : undefined;
      if (size !== undefined && (value as Bytes).data.length !== size)
        problems.push(invalid('invalid', 'length'));
    }
  }
  if (problems.length > 0) throw new SeveralProblems(problems);
}

function keyOf(table: OracleTable, row: Row): string {
  return rowIdentity(table.primaryKey.map((id) => row[ordinalOf(table, id)] as Value));
}

function findTargets(
  table: OracleTable,
  permitted: readonly Value[][],
  slots: readonly number[],
  rows: readonly Row[],
): Value[][] {
  const byKey = new Map(permitted.map((row) => [keyOf(table, row), row]));
  const used = new Set<string>();
  const problems: OracleProblem[] = [];
  const targets = rows.map((row) => {
    const key = rowIdentity(
      table.primaryKey.map((id) => row[slots[ordinalOf(table, id)] as number] as Value),
    );
    const target = byKey.get(key);
    if (target === undefined) problems.push(failed('mutation_target_not_found'));
    else if (used.has(key)) problems.push(invalid('mutation_target_ambiguous'));
    used.add(key);
    return target as Value[];
  });
  if (problems.length > 0) throw new SeveralProblems(problems);
  return targets;
}

interface UpdateInput {
  readonly slots: readonly number[];
  readonly rows: readonly Row[];
  readonly targets: readonly Value[][];
}

function update(
  database: Database,
  table: OracleTable,
  { slots, rows, targets }: UpdateInput,
): readonly Row[] {
  const key = new Set(table.primaryKey.map((id) => ordinalOf(table, id)));
  const assigned = slots.flatMap((slot, i) => (slot >= 0 && !key.has(i) ? [i] : []));
  const changed = targets.map((target, n) =>
    target.map((value, i) =>
      assigned.includes(i) ? (rows[n]?.[slots[i] as number] as Value) : value,
    ),
  );
  checkCells(table, changed, () => false);
  for (const i of assigned) {
    const given = table.columns[i]?.default;
    if (given !== undefined && 'func' in given && given.func === 'increment') {
      numberRows(table, i, false, changed);
    }
  }
  requirePermitted(database, table, 'update', changed);
  const replacement = new Map(targets.map((target, n) => [target, changed[n] as Value[]]));
  table.rows = table.rows.map((row) => replacement.get(row) ?? row);
  const ids = new Set(assigned.map((i) => table.columns[i]?.id as number));
  checkUnique(table, ids);
  checkReferences(database, table, ids);
  return changed;
}

/** Rows with NULL in a member are exempt. `touched`: only indexes over one of these columns. */
export function checkUnique(table: OracleTable, touched?: ReadonlySet<number>): void {
  for (const index of table.indexes) {
    if (!index.unique || (touched && !index.columns.some((id) => touched.has(id)))) continue;
    const tuples = table.rows
      .map((row) => index.columns.map((id) => row[ordinalOf(table, id)] as Value))
      .filter((tuple) => !tuple.includes(null))
      .map(rowIdentity);
    if (new Set(tuples).size !== tuples.length) throw invalid('constraint_violation', index.name);
  }
}

/** The referenced rows exist. */
export function checkReferences(
  database: Database,
  table: OracleTable,
  touched?: ReadonlySet<number>,
): void {
  for (const key of table.foreignKeys) {
    if (touched && !key.columns.some((id) => touched.has(id))) continue;
    const parent = database.tables.find(
      (candidate) => candidate.id === key.refTable,
    ) as OracleTable;
    const present = new Set(
      parent.rows.map((row) =>
        key.refColumns.map((id) => identityOf(row[ordinalOf(parent, id)] as Value)).join('|'),
      ),
    );
    for (const row of table.rows) {
      const tuple = key.columns.map((id) => row[ordinalOf(table, id)] as Value);
      if (!tuple.includes(null) && !present.has(rowIdentity(tuple))) {
        throw invalid('constraint_violation', key.name);
      }
    }
  }
}
