/** ON CONFLICT: rows that exist are skipped or updated. */

import type { InferClause, Node, OnConflictClause } from 'libpg-query';
import type { Expression } from '#lir';
import type { Statement } from '#pir';
import { identityPartOf, type Row } from '#value';
import { childScope, type Scope, type ScopeTable } from '../scope/scope.ts';
import { sqlError, unsupported } from '../sql-error.ts';
import { binary, column, joined, not } from './build.ts';
import type { Compilation } from './compilation.ts';
import { condition } from './condition.ts';
import {
  type Input,
  type InputRelation,
  inOrder,
  ordinalName,
  type RowFilter,
} from './insert-rows.ts';
import { assignments } from './set-clause.ts';
import { creation, manyRows, mutation, readResult } from './write-program.ts';
import { field, keyFields, scopeTableOf, type Target, type TargetColumn } from './write-target.ts';

export interface Conflict {
  /** The lists of columns of which no two rows have the same values. */
  readonly arbiters: readonly (readonly string[])[];
  /** Columns whose values decide, or that expressions may name. */
  readonly needed: ReadonlySet<string>;
  readonly update?: Pick<OnConflictClause, 'targetList' | 'whereClause'> | undefined;
  /** Handles rows of one list that conflict with each other. */
  filter(columns: readonly TargetColumn[]): RowFilter;
}

export function conflictOf(
  compilation: Compilation,
  target: Target,
  clause: OnConflictClause,
): Conflict {
  const { action, infer, location } = clause;
  const isUpdate = action === 'ONCONFLICT_UPDATE';
  if (isUpdate && infer === undefined) {
    const message = 'ON CONFLICT DO UPDATE requires inference specification or constraint name';
    throw compilation.error('42601', message, location);
  }
  const all = uniqueLists(target);
  const arbiters = infer === undefined ? all : [arbiterOf(compilation, target, infer)];
  return {
    arbiters,
    needed: new Set(isUpdate ? target.columns.map(({ column: one }) => one.name) : arbiters.flat()),
    update: isUpdate ? clause : undefined,
    filter: (columns) => (rows) =>
      isUpdate ? refuseTwice(rows, columns, arbiters) : firstOfEach(rows, columns, arbiters),
  };
}

/** The columns of the primary key and of each unique index, as far as SQL shows them. */
function uniqueLists({ table, key, columns }: Target): readonly (readonly string[])[] {
  const nameOf = (id: number) => table.columns.find((one) => one.id === id)?.name ?? '';
  const indexes = table.indexes
    .filter(({ unique }) => unique)
    .map((index) => index.columns.map(nameOf));
  const shown = (name: string) => columns.some((one) => one.column.name === name);
  return [key, ...indexes].filter((list) => list.every(shown));
}

function arbiterOf(
  compilation: Compilation,
  target: Target,
  infer: InferClause,
): readonly string[] {
  const { table } = target;
  if (infer.conname !== undefined) {
    if (infer.conname === `${table.name}_pkey`) return target.key;
    const index = table.indexes.find(({ name, unique }) => unique && name === infer.conname);
    const names = index?.columns.map(
      (id) => table.columns.find((one) => one.id === id)?.name ?? '',
    );
    if (names !== undefined) return names;
    const message = `constraint "${infer.conname}" for table "${table.name}" does not exist`;
    throw compilation.error('42704', message, infer.location);
  }
  const names = new Set(
    (infer.indexElems ?? []).map((node) => elementName(compilation, target, node)),
  );
  const found = uniqueLists(target).find(
    (list) => list.length === names.size && list.every((name) => names.has(name)),
  );
  if (found !== undefined) return found;
  const message =
    'there is no unique or exclusion constraint matching the ON CONFLICT specification';
  throw compilation.error('42P10', message, infer.location);
}

function elementName(compilation: Compilation, target: Target, node: Node): string {
  const element = 'IndexElem' in node ? node.IndexElem : {};
  if (element.name === undefined) {
    throw compilation.unsupported('an expression in the target of ON CONFLICT', undefined);
  }
  const isKnown = target.columns.some(({ column: one }) => one.name === element.name);
  if (!isKnown)
    throw compilation.error('42703', `column "${element.name}" does not exist`, undefined);
  return element.name;
}

/** `create` of the rows for which no row exists. If computed rows conflict with each other, the first one is created. */
export function createMissing(
  compilation: Compilation,
  { table }: Target,
  input: Input,
  { arbiters }: Conflict,
): readonly Statement[] {
  const { columns, makeNumbered } = input;
  const known = arbiters.filter((names) => isGiven(names, columns));
  if (makeNumbered === undefined || known.length === 0) {
    const node = missing(compilation, table.name, input.make(), input, arbiters);
    return [creation(compilation, table.name, node, input.hasSequence)];
  }
  const [list, ...others] = known;
  if (list === undefined || others.length > 0)
    throw compilation.unsupported(severalConflicts, undefined, conflictHint);
  const name = compilation.name('w');
  const relation = compilation.take(manyRows(makeNumbered().node));
  const all = readResult(compilation, name);
  const earlier = readResult(compilation, name);
  const ordinal = ordinalName(columns);
  const before = binary('lt', column(earlier.scope, ordinal), column(all.scope, ordinal));
  const predicate = joined('and', [isPartner(list, earlier.scope, all.scope), before]);
  const same = compilation.node({ kind: 'filter', input: earlier.node, predicate });
  const first = not({ kind: 'exists', node: same });
  const firsts = compilation.node({ kind: 'filter', input: all.node, predicate: first });
  const rest = missing(
    compilation,
    table.name,
    { node: firsts, scope: all.scope },
    input,
    arbiters,
  );
  const { node } = inOrder(compilation, columns, rest, all.scope);
  return [{ kind: 'query', name, relation }, creation(compilation, table.name, node, true)];
}

const severalConflicts = 'rows of one INSERT that conflict in several constraints';
const conflictHint = 'Name the columns: ON CONFLICT (…) DO NOTHING.';

/** Adds a filter for the rows without a partner. A row with generated values has none. */
function missing(
  compilation: Compilation,
  table: string,
  { node, scope }: InputRelation,
  { columns }: Pick<Input, 'columns'>,
  arbiters: readonly (readonly string[])[],
): string {
  const tests = arbiters
    .filter((list) => isGiven(list, columns))
    .map((list) => {
      const partner = compilation.name('s');
      const scan = compilation.node({ kind: 'scan', table, scope: partner });
      const predicate = isPartner(list, partner, scope);
      return not({
        kind: 'exists',
        node: compilation.node({ kind: 'filter', input: scan, predicate }),
      });
    });
  if (tests.length === 0) return node;
  return compilation.node({ kind: 'filter', input: node, predicate: joined('and', tests) });
}

/** Whether the rows have values for all columns of the list, so that none is generated. */
function isGiven(list: readonly string[], columns: readonly TargetColumn[]): boolean {
  return list.every((name) => columns.some((one) => one.column.name === name));
}

function isPartner(list: readonly string[], left: string, right: string): Expression {
  return joined(
    'and',
    list.map((name) => binary('eq', column(left, name), column(right, name))),
  );
}

/** An update of the rows that exist, then a `create` of all others. `scopes` makes a scope with the relations of WITH. */
export function updateExisting(
  compilation: Compilation,
  target: Target,
  input: Input,
  { arbiters, update }: Conflict,
  scopes: () => Scope,
): readonly Statement[] {
  const { table } = target;
  const list = arbiters[0] ?? [];
  // No row has generated values yet.
  if (!isGiven(list, input.columns))
    return [creation(compilation, table.name, input.make().node, input.hasSequence)];
  const [before, read] = repeatable(compilation, input, list);
  const parent = scopes();
  const from = read();
  const scope = compilation.name('s');
  const right = compilation.node({ kind: 'scan', table: table.name, scope });
  const on = isPartner(list, scope, from.scope);
  let node = compilation.node({ kind: 'join', join: 'inner', left: from.node, right, on });
  const tables = [scopeTableOf(target, scope), excluded(target, input, from.scope)];
  const both = childScope(parent, { tables, columns: tables.flatMap(({ columns }) => columns) });
  const env = { compilation, scope: both, clause: 'UPDATE' };
  if (update?.whereClause !== undefined) {
    const predicate = condition({ ...env, clause: 'WHERE' }, update.whereClause, 'true').expr;
    node = compilation.node({ kind: 'filter', input: node, predicate });
  }
  const sets = assignments(env, target, update?.targetList ?? [], list);
  const fields = [
    ...keyFields(target, scope),
    ...sets.map(({ name, value }) => field(name, value.expr)),
  ];
  node = compilation.node({ kind: 'project', input: node, fields });
  const change = mutation(compilation, 'update', table.name, node);
  const rest = missing(compilation, table.name, read(), input, [list]);
  return [...before, change, creation(compilation, table.name, rest, input.isConstant)];
}

/** The rows that were proposed, as expressions name them. */
function excluded(target: Target, { columns }: Input, scope: string): ScopeTable {
  const { columns: all, name } = scopeTableOf(target, scope, 'excluded');
  const known = all.filter((one) =>
    columns.some(({ column: { name: given } }) => given === one.name),
  );
  return {
    name,
    columns: known.map((one) => ({ ...one, tableId: undefined, columnId: undefined })),
  };
}

/** Makes the input readable several times: constants are written out again, all else is computed by a statement before. */
function repeatable(
  compilation: Compilation,
  input: Input,
  list: readonly string[],
): readonly [before: readonly Statement[], read: () => InputRelation] {
  if (input.isConstant) return [[], input.make];
  const name = compilation.name('w');
  const relation = compilation.take(manyRows(input.make().node));
  const before: Statement[] = [{ kind: 'query', name, relation }];
  if (!input.isSingle) before.push(refusalOfTwice(compilation, name, list));
  return [before, () => readResult(compilation, name)];
}

/** A query that fails if two rows have the same values: a scalar subquery must not find a second row. */
function refusalOfTwice(
  compilation: Compilation,
  input: string,
  list: readonly string[],
): Statement {
  const outer = readResult(compilation, input);
  const inner = readResult(compilation, input);
  const predicate = isPartner(list, inner.scope, outer.scope);
  const same = compilation.node({ kind: 'filter', input: inner.node, predicate });
  const fields = [field('c1', { kind: 'lit', value: { type: 'int64', value: '1' } })];
  const one = compilation.node({ kind: 'project', input: same, fields });
  const check = { kind: 'scalar', node: one, check: true } as Expression;
  const node = compilation.node({
    kind: 'project',
    input: outer.node,
    fields: [field('c1', check)],
  });
  return { kind: 'query', name: compilation.name('w'), relation: compilation.take(manyRows(node)) };
}

type KeyOf = (row: Row) => string | undefined;

/** Returns the values of each arbiter as text; `undefined` if one of them is NULL or generated, so that nothing conflicts. */
function keysOf(
  columns: readonly TargetColumn[],
  arbiters: readonly (readonly string[])[],
): readonly KeyOf[] {
  return arbiters.map((list) => {
    const at = list.map((name) => columns.findIndex((one) => one.column.name === name));
    const parts = at.map((i) => identityPartOf({ kind: columns[i]?.type.stored ?? 'text' }));
    return (row) => {
      const values = at.map((i) => row[i] ?? null);
      if (values.includes(null)) return undefined;
      return parts.map((part, i) => part(values[i] ?? null)).join('');
    };
  });
}

function firstOfEach(
  rows: readonly Row[],
  columns: readonly TargetColumn[],
  arbiters: readonly (readonly string[])[],
): readonly Row[] {
  const keys = keysOf(columns, arbiters);
  const seen = keys.map(() => new Map<string, Row>());
  return rows.filter((row) => {
    const found = keys.map((keyOf, i) => {
      const key = keyOf(row);
      const earlier = key === undefined ? undefined : seen[i]?.get(key);
      if (key !== undefined && earlier === undefined) seen[i]?.set(key, row);
      return earlier;
    });
    const earlier = found.find((one) => one !== undefined);
    if (earlier === undefined) return true;
    if (found.every((one) => one === earlier)) return false;
    throw unsupported(severalConflicts, { hint: conflictHint });
  });
}

function refuseTwice(
  rows: readonly Row[],
  columns: readonly TargetColumn[],
  arbiters: readonly (readonly string[])[],
): readonly Row[] {
  const [keyOf] = keysOf(columns, arbiters);
  const keys = rows.map((row) => keyOf?.(row)).filter((key) => key !== undefined);
  if (new Set(keys).size === keys.length) return rows;
  throw sqlError('21000', 'ON CONFLICT DO UPDATE command cannot affect row a second time', {
    hint: 'Ensure that no rows proposed for insertion within the same command have duplicate constrained values.',
  });
}
