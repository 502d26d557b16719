/** Compiles INSERT. */

import type { InsertStmt, Node, SelectStmt } from 'libpg-query';
import type { Statement } from '#pir';
import { childScope, emptyScope, type Scope } from '../scope/scope.ts';
import { assigned } from './assign.ts';
import { hasCrossing } from './build.ts';
import { call } from './calls.ts';
import { type Compilation, type Env, isTyped, type Typed } from './compilation.ts';
import { type CellGroup, cellGroups, defaultCell, isNeeded } from './insert-cells.ts';
import { type Input, inputOf } from './insert-rows.ts';
import { type Conflict, conflictOf, createMissing, updateExisting } from './on-conflict.ts';
import { draftOf } from './query.ts';
import { returning } from './returning.ts';
import { withRelations } from './with.ts';
import { creation, type WriteProgram } from './write-program.ts';
import { field, type Target, type TargetColumn, targetColumns, targetOf } from './write-target.ts';

export function compileInsert(compilation: Compilation, stmt: InsertStmt): WriteProgram {
  if (stmt.override === 'OVERRIDING_USER_VALUE') {
    throw compilation.unsupported('OVERRIDING USER VALUE', undefined, 'Omit the column.');
  }
  const target = targetOf(compilation, stmt.relation);
  const scopes = () => withRelations(compilation, stmt.withClause, emptyScope);
  const conflict = stmt.onConflictClause && conflictOf(compilation, target, stmt.onConflictClause);
  const inputs = inputsOf(
    { compilation, scope: scopes(), clause: 'VALUES' },
    target,
    stmt,
    conflict,
  );
  const statements: Statement[] = [];
  for (const input of inputs)
    statements.push(...storing(compilation, target, input, conflict, scopes));
  const counted = statements.flatMap(({ kind, name }) => (kind === 'query' ? [] : [name]));
  const program = { tag: 'INSERT', statements, counted };
  if (stmt.returningClause === undefined) return program;
  return returning(compilation, program, target, stmt.returningClause);
}

/** Returns the statements that store the rows of an input. */
function storing(
  compilation: Compilation,
  target: Target,
  input: Input,
  conflict: Conflict | undefined,
  scopes: () => Scope,
): readonly Statement[] {
  const { name } = target.table;
  if (conflict === undefined) {
    return [creation(compilation, name, input.make().node, input.hasSequence)];
  }
  if (conflict.update === undefined) return createMissing(compilation, target, input, conflict);
  return updateExisting(compilation, target, input, conflict, scopes);
}

function inputsOf(
  env: Env,
  target: Target,
  stmt: InsertStmt,
  conflict: Conflict | undefined,
): readonly Input[] {
  const { compilation } = env;
  const select =
    stmt.selectStmt && 'SelectStmt' in stmt.selectStmt ? stmt.selectStmt.SelectStmt : undefined;
  const needed = conflict?.needed ?? new Set<string>();
  const groups = (given: readonly TargetColumn[], lists: readonly Node[]) => {
    const found = cellGroups(env, target, given, lists, needed);
    if (found.length > 1) requireNoSubquery(compilation, found);
    return found.map((group) =>
      inputOf(compilation, withColumn(env, target, group), conflict?.filter(group.columns)),
    );
  };
  if (select === undefined) return groups([], [{ List: {} }]);
  const lists = select.valuesLists;
  if (lists === undefined || isMore(select)) return [queryInput(env, target, stmt, select, needed)];
  const [first] = lists;
  const count = first !== undefined && 'List' in first ? (first.List.items?.length ?? 0) : 0;
  return groups(givenColumns(compilation, target, stmt.cols, count), lists);
}

/** Groups are stored one after the other, so that a subquery of the second would see the rows of the first. */
function requireNoSubquery(compilation: Compilation, groups: readonly CellGroup[]): void {
  const has = groups.some(({ rows }) =>
    rows.some((row) => row.some(({ expr }) => hasCrossing(expr))),
  );
  if (!has) return;
  const hint = 'Write DEFAULT in the same columns of all rows, or omit these columns.';
  throw compilation.unsupported('a subquery next to rows with other DEFAULTs', undefined, hint);
}

/** Whether VALUES is more than a list of rows. */
function isMore({ sortClause, limitCount, limitOffset, withClause }: SelectStmt): boolean {
  return [sortClause, limitCount, limitOffset, withClause].some((clause) => clause !== undefined);
}

/** The columns of the list, or else the first `count` columns of the table. */
function givenColumns(
  compilation: Compilation,
  target: Target,
  list: readonly Node[] | undefined,
  count: number,
): readonly TargetColumn[] {
  if (list !== undefined) return targetColumns(compilation, target, list);
  return target.columns.slice(0, count);
}

/** A relation has at least one column: a row of defaults gets the first constant one. */
function withColumn(env: Env, target: Target, group: CellGroup): CellGroup {
  if (group.columns.length > 0) return group;
  for (const column of target.columns) {
    const cell = defaultCell(env, target, column);
    if (cell !== undefined)
      return { ...group, columns: [column], rows: group.rows.map(() => [cell]) };
  }
  const hint = 'Give one of the columns a value.';
  throw env.compilation.unsupported('a row of generated values only', undefined, hint);
}

/** NULL for a column that must not be NULL, which is an error if there is a row. */
function refusedNull({ type }: TargetColumn): Typed {
  const none = { kind: 'lit', value: { type: type.stored } } as const;
  return { type, expr: call('not_null', none), nullable: false };
}

/** INSERT … SELECT: the columns of the query, and constants that the table cannot do without. */
function queryInput(
  env: Env,
  target: Target,
  stmt: InsertStmt,
  select: SelectStmt,
  needed: ReadonlySet<string>,
): Input {
  const { compilation } = env;
  const draft = draftOf(compilation, select, childScope(env.scope));
  const given = givenColumns(compilation, target, stmt.cols, draft.outputs.length);
  if (given.length !== draft.outputs.length) {
    const isLonger = draft.outputs.length > given.length;
    const message = isLonger
      ? 'INSERT has more expressions than target columns'
      : 'INSERT has more target columns than expressions';
    throw compilation.error('42601', message, undefined);
  }
  const types = draft.outputs.map(({ operand }, i) =>
    isTyped(operand) ? undefined : given[i]?.type,
  );
  const query = draft.finish(types);
  const values = given.map((column, i) => {
    const value = query.columns[i];
    if (value === undefined) throw new Error('a column of the query is missing');
    return assigned(compilation, target, column, value, undefined);
  });
  const constants = target.columns.flatMap((column) => {
    if (given.includes(column) || !isNeeded(column, needed)) return [];
    const cell = isNeeded(column, new Set())
      ? refusedNull(column)
      : defaultCell(env, target, column);
    return cell === undefined ? [] : [{ column, value: cell }];
  });
  const columns = [...given, ...constants.map(({ column }) => column)];
  const all = [...values, ...constants.map(({ value }) => value)];
  const make = () => {
    const scope = compilation.name('s');
    const fields = all.map(({ expr }, i) => field(columns[i]?.column.name ?? '', expr));
    return { node: compilation.node({ kind: 'project', input: query.node, scope, fields }), scope };
  };
  const nullable = all.map((value) => value.nullable);
  const { isSingle, isOrdered: hasSequence } = query;
  return { columns, nullable, make, isConstant: false, isSingle, hasSequence };
}
