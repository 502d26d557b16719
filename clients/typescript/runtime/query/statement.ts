/** Statements that write, and programs of several. */

import { BuildError } from '../client/build-error.ts';
import { encode, readable } from '../wire/codec.ts';
import { call, foldOf, literal } from './expression.ts';
import { Ex } from './parts.ts';
import { equalities, Q, rowsQuery, scanOf } from './query.ts';
import { type Call, type Column, given, type Row, type Schema, type TableShape } from './table.ts';

interface RowsOf {
  readonly schema: Schema;
  readonly table: TableShape;
}

export type Arrange = (rows: readonly Row[]) => readonly Row[];

/** What a statement writes, by a query of the rows. */
export class Write {
  readonly kind: 'create' | 'update' | 'delete';
  readonly schema: Schema;
  readonly table: TableShape;
  readonly input: Q;
  /** Of at most one row: null without one, else the row. */
  readonly single: 'one' | 'maybe' | undefined;
  /** Rows of the answer in the order of the input. */
  arrange: Arrange | undefined;

  constructor(
    kind: Write['kind'],
    schema: Schema,
    table: TableShape,
    input: Q,
    single?: Write['single'],
  ) {
    this.kind = kind;
    this.schema = schema;
    this.table = table;
    this.input = input;
    this.single = single;
  }

  /** Its rows, for later statements of the program. */
  get rows(): Q {
    return new Q({ kind: 'ref', schema: this.schema, table: this.table, statement: this });
  }
}

/** Statements in order; `result` is one of them, a query over them, or an object of both. */
export class Program {
  readonly statements: readonly Statement[];
  readonly result: unknown;
  /** The table whose rows the result has, where they are those of one. */
  readonly of: RowsOf | undefined;
  arrange: Arrange | undefined;
  constructor(statements: readonly Statement[], result: unknown, of?: RowsOf) {
    this.statements = statements;
    this.result = result;
    this.of = of;
  }
}

export type Statement = Write | Reading;

/** A query whose rows later statements read. */
export class Reading {
  readonly query: Q;
  readonly guard: string | undefined;
  private readonly of: RowsOf | undefined;
  constructor(query: Q, guard?: string, of?: RowsOf) {
    this.query = query;
    this.guard = guard;
    this.of = of;
  }
  get rows(): Q {
    if (this.of !== undefined) return new Q({ kind: 'ref', ...this.of, statement: this });
    return new Q({ kind: 'refQuery', of: this.query, statement: this });
  }
}

interface Builder {
  do(statement: Write | Program): { readonly rows: Q };
  query(query: Q): Reading;
  ensure(name: string, held: Q | Ex | { readonly rows: Q }): void;
}

const statementsMax = 1_000;

export function programOf(write: (p: Builder) => unknown): Program {
  const statements: Statement[] = [];
  const add = <S extends Statement>(statement: S): S => {
    if (statements.includes(statement))
      throw new BuildError('a statement stands in a program once: make another one like it');
    if (statements.push(statement) > statementsMax) {
      throw new BuildError(`a program of more than ${statementsMax} statements`);
    }
    return statement;
  };
  const result = write({
    do: (statement) => {
      if (!(statement instanceof Program)) return add(statement);
      for (const one of statement.statements) add(one);
      const { result, of } = statement;
      return result instanceof Q ? add(new Reading(result, undefined, of)) : (result as Write);
    },
    query: (query) => add(new Reading(query)),
    ensure: (name, held) => {
      if (!/^[A-Za-z0-9_-]{1,57}$/.test(name))
        throw new BuildError(`${JSON.stringify(name)} is no name of a guard`);
      const of = held instanceof Q || held instanceof Ex ? held : held.rows;
      const rowsHeld = of instanceof Q ? of : oneRow().where(() => of);
      // A division by zero where there is nothing, which undoes the program.
      const counted = rowsHeld.fold(() => ({ n: foldOf('count', undefined, 'i') }));
      add(
        new Reading(
          counted.select((row) => ({ held: call(literal('i', 1n), 'div', (row as Row)['n']) })),
          name,
        ),
      );
    },
  });
  return new Program(statements, result);
}

/** One row, for results beside each other. */
export function oneRow(): Q {
  return new Q(rowsQuery({ one: 'b' }, [{ one: true }]).step, { card: 'one', isSingle: true });
}

function columnsOf(table: TableShape, row: Row): readonly Column[] {
  for (const member of Object.keys(row)) {
    if (!table.columns.some((column) => column.member === member)) {
      throw new BuildError(`${table.name} has no column ${JSON.stringify(member)}`);
    }
  }
  // What has no default is always there: few texts for many rows.
  return table.columns.filter(
    (column) => given(row, column.member) !== undefined || !column.hasDefault,
  );
}

/** Refuses what the column could store, and the application could not read. */
function cell(table: TableShape, { member, code }: Column, value: unknown): Ex {
  if (Math.abs(Number(value)) > (readable[code] ?? Number.POSITIVE_INFINITY))
    throw new BuildError(
      `${table.name}.${member}: ${value} could not be read again as a ${code === 'D' ? 'Date' : 'number'}`,
    );
  return literal(code, value);
}

function rowsOf(columns: readonly Column[], all: readonly Row[], table: TableShape): Q {
  const cells = all.map((row) =>
    columns.map((column) => {
      const { name, member, nullable } = column;
      const value = given(row, member) ?? null;
      if (value === null && !nullable)
        throw new BuildError(`${table.name}.${name} is missing, and takes no NULL`);
      return cell(table, column, value);
    }),
  );
  return new Q({ kind: 'rows', columns, cells });
}

export function insert(schema: Schema, table: TableShape, row: Row): Write {
  return new Write('create', schema, table, rowsOf(columnsOf(table, row), [row], table), 'one');
}

/** One create for each set of columns; in the order of the input where all rows have their keys. */
export function insertMany(
  schema: Schema,
  table: TableShape,
  all: readonly Row[],
): Write | Program {
  const groups = new Map<string, Row[]>();
  for (const row of all) {
    const key = columnsOf(table, row)
      .map(({ name }) => name)
      .join('\0');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  if (groups.size === 0) groups.set('', []);
  const writes = [...groups.values()].map((some) => {
    const columns = columnsOf(table, some[0] ?? {});
    return new Write('create', schema, table, rowsOf(columns, some, table));
  });
  const [only] = writes as [Write];
  const whole = writes.map(({ rows }) => rows).reduce((left, right) => left.union(right));
  const made = writes.length === 1 ? only : new Program(writes, whole, { schema, table });
  made.arrange = arrangedAs(table, all);
  return made;
}

/** Undefined where some row leaves its key to the server. */
function arrangedAs(table: TableShape, all: readonly Row[]): Arrange | undefined {
  const key = table.keys[0] as readonly Column[];
  if (all.some((row) => key.some(({ member }) => given(row, member) === undefined)))
    return undefined;
  const textOf = (row: Row) =>
    key.map(({ code, member }) => encode(code, given(row, member), member)).join('\0');
  return (rows) => {
    const places = new Map(all.map((row, i) => [textOf(row), i]));
    const place = (row: Row) => places.get(textOf(row)) ?? all.length;
    return [...rows].sort((a, b) => place(a) - place(b));
  };
}

/** Columns by which a row is found: rows that have the same values elsewhere are several. */
function keyOf(table: TableShape, members: readonly string[]): readonly Column[] {
  const found = table.keys.find(
    (one) => one.length === members.length && one.every(({ member }) => members.includes(member)),
  );
  if (found !== undefined) return found;
  const keys = table.keys.map((one) => one.map(({ member }) => member).join(', '));
  const what = members.length > 0 ? members.join(', ') : 'nothing';
  throw new BuildError(`${what} is no key of ${table.name}: give ${keys.join(' | ')}`);
}

/** A row by key or unique index: as the filter of a query. */
export function byKey(table: TableShape, key: Row): (row: Row) => Ex {
  const members = Object.keys(key);
  const columns = keyOf(table, members);
  const values = { ...key };
  return (row) =>
    equalities(columns.map(({ member }) => [row[member] as Ex, values[member]] as const));
}

type Assignment = Row | ((...row: readonly unknown[]) => Row);

/** The key of each row, and what is set; `args` are what callbacks get. `found`: the columns by which the row was found, which cannot be set either. */
function assigned(
  table: TableShape,
  set: Assignment,
  keyOf: (args: readonly unknown[]) => Row,
  found: readonly Column[] = [],
): Call {
  // Whatever becomes of the object.
  const own = typeof set === 'function' ? undefined : { ...set };
  return (...args) => {
    const values = own ?? (set as (...row: readonly unknown[]) => Row)(...args);
    const entries = Object.entries(values).filter(([, value]) => value !== undefined);
    if (entries.length === 0) throw new BuildError(`${table.name}: nothing is set`);
    const row = keyOf(args);
    const fields = new Map(
      (table.keys[0] as readonly Column[]).map(({ name, member }) => [name, row[member]]),
    );
    for (const entry of entries) {
      const [name, value] = written(table, entry);
      // Another row would be changed.
      if (fields.has(name) || found.some((column) => column.name === name))
        throw new BuildError(`${table.name}.${entry[0]} is of the key, which cannot be changed`);
      fields.set(name, value);
    }
    return Object.fromEntries(fields);
  };
}

function written(
  table: TableShape,
  [member, value]: readonly [string, unknown],
): readonly [string, unknown] {
  const column = table.columns.find((one) => one.member === member);
  if (column === undefined)
    throw new BuildError(`${table.name} has no column ${JSON.stringify(member)}`);
  return [column.name, value instanceof Ex ? value : cell(table, column, value)];
}

const ownRow = (args: readonly unknown[]) => args[0] as Row;

export function update(
  schema: Schema,
  table: TableShape,
  rowsToSet: Q,
  set: Assignment,
  single?: 'maybe',
): Write {
  return new Write('update', schema, table, rowsToSet.select(assigned(table, set, ownRow)), single);
}

/** `fields` gives the key, and what is set. */
export function writeFrom(
  kind: 'create' | 'update',
  schema: Schema,
  table: TableShape,
  from: Q,
  fields: Call,
): Write {
  const named: Call = (...args) => {
    const entries = Object.entries(fields(...args) as Row).filter(
      ([, value]) => value !== undefined,
    );
    return Object.fromEntries(entries.map((entry) => written(table, entry)));
  };
  return new Write(kind, schema, table, from.select(named));
}

export function remove(schema: Schema, table: TableShape, rowsToGo: Q, single?: 'maybe'): Write {
  const key = (row: unknown) =>
    Object.fromEntries(
      (table.keys[0] as readonly Column[]).map(({ name, member }) => [name, (row as Row)[member]]),
    );
  return new Write('delete', schema, table, rowsToGo.select(key), single);
}

interface UpsertMerge {
  readonly on?: readonly string[];
  readonly set?: readonly string[] | ((current: Row, input: Row) => Row);
}

/** Rows that are there are updated, the others inserted; without `updates` they stay as they are. */
export function upsert(
  schema: Schema,
  table: TableShape,
  all: readonly Row[],
  { on, set }: UpsertMerge,
  updates: boolean,
): Program {
  const primary = table.keys[0] as readonly Column[];
  const key = on === undefined ? primary : keyOf(table, on);
  for (const row of all) columnsOf(table, row);
  const columns = table.columns.filter(({ member, hasDefault }) => {
    const count = all.filter((row) => given(row, member) !== undefined).length;
    if (hasDefault && count > 0 && count < all.length)
      throw new BuildError(
        `${table.name}.${member} has a default, and is given for some rows only: give it for all of them, or for none`,
      );
    return count > 0 || !hasDefault;
  });
  if (all.length === 0) throw new BuildError(`${table.name}: no rows`);
  if (key.some((column) => !columns.includes(column))) {
    throw new BuildError(`${table.name}: all columns of the key are wanted`);
  }
  const seen = new Set<string>();
  for (const row of all) {
    const text = JSON.stringify(
      key.map(({ code, member }) => encode(code, given(row, member), member)),
    );
    if (seen.has(text)) throw new BuildError(`${table.name}: two rows of one key`);
    seen.add(text);
  }
  const input = new Reading(rowsOf(columns, all, table));
  const isSame = (here: unknown, there: unknown) =>
    equalities(
      key.map(({ member }) => [(here as Row)[member] as Ex, (there as Row)[member]] as const),
    );
  const whole = scanOf(schema, table);
  const others = columns.filter((column) => !key.includes(column) && !primary.includes(column));
  for (const member of Array.isArray(set) ? set : []) {
    if (!others.some((one) => one.member === member))
      throw new BuildError(`${table.name}: ${member} is not given, or of a key: it cannot be set`);
  }
  const wanted = others.filter(({ member }) => {
    if (Array.isArray(set)) return set.includes(member);
    // What no row gives is NULL in new rows, and stays as it is in those that are there.
    const count = all.filter((row) => given(row, member) !== undefined).length;
    if (updates && !set && count > 0 && count < all.length)
      throw new BuildError(`${table.name}.${member} is given for some rows only: say what to set`);
    return count > 0;
  });
  const change = (current: Row, from: Row): Row =>
    typeof set === 'function'
      ? (set as (current: Row, input: Row) => Row)(current, from)
      : Object.fromEntries(wanted.map(({ member }) => [member, from[member]]));
  const fields = assigned(
    table,
    (from, current) => change(current as Row, from as Row),
    (args) => args[1] as Row,
    key,
  );
  const updated = new Write('update', schema, table, input.rows.join(whole, isSame).select(fields));
  const fresh = input.rows.where((row) =>
    call(whole.where((other) => isSame(row, other)).exists(), 'not'),
  );
  const created = new Write('create', schema, table, new Q({ kind: 'all', input: fresh }));
  if (!updates) return new Program([input, created], created);
  const merged = updated.rows.union(created.rows);
  return new Program([input, updated, created], merged, { schema, table });
}
