/** Whole programs: preflight on a throw-away copy, then execution in order, all or nothing (docs/pir.md §1, §8, §9). */

import type { CatalogChange } from '#catalog';
import type { Query } from '#lir';
import type { MutationStatement, Program, RelationalStatement, Statement } from '#pir';
import { applyChange } from './catalog.ts';
import type { Named } from './context.ts';
import { copyDatabase, type Database, type OracleTable } from './database.ts';
import { checkShape, isAnyOrder, mutate } from './mutation.ts';
import { isVisible } from './policies.ts';
import { invalid, OracleProblem, SeveralProblems } from './problem.ts';
import { type BoundQuery, bindQuery, checkCardinality, checkGraph, isFirstOfAny } from './query.ts';
import type { Column, Row } from './relation.ts';
import { encode, RowValue } from './value.ts';

export interface Refusal {
  readonly code: string;
  readonly reason: string;
}

export type Outcome =
  | {
      readonly kind: 'done';
      /** JSON text. */
      readonly result: string;
      /** Each of them is right; undefined where only `result` is. */
      readonly anyOf?: readonly string[] | undefined;
      /** The texts of the rows of a result that is a list. */
      readonly rows: readonly string[] | undefined;
      /** Whether the order of the result's rows means anything. */
      readonly isOrdered: boolean;
      readonly affected: readonly number[];
      /** Some choice that the specification leaves open was met: another answer may be right too. */
      readonly isAmbiguous: boolean;
    }
  | {
      readonly kind: 'refused';
      /** Any of these may be reported. */
      readonly errors: readonly Refusal[];
    }
  /** The specification leaves open whether an error shows. */
  | { readonly kind: 'open'; readonly errors: readonly Refusal[] };

/** Runs a grammar-checked program; `database` changes only when it succeeds. */
export function runProgram(database: Database, program: Program): Outcome {
  let selected: string | undefined;
  try {
    for (const statement of program.statements)
      if ('relation' in statement) checkGraph(statement.relation);
    selected = checkEnvelope(database, program);
    preflight(copyDatabase(database), program);
  } catch (error) {
    return { kind: 'refused', errors: refusalsOf(error) };
  }
  const after = copyDatabase(database);
  const execution = new Execution(after, program, selected);
  try {
    const outcome = execution.run();
    if (outcome.kind === 'done') Object.assign(database, after);
    return outcome;
  } catch (error) {
    const errors = refusalsOf(error);
    return { kind: execution.isAmbiguous ? 'open' : 'refused', errors };
  }
}

function refusalsOf(error: unknown): readonly Refusal[] {
  if (error instanceof SeveralProblems) return error.problems;
  if (!(error instanceof OracleProblem)) throw error;
  return [error];
}

const isRelational = (statement: Statement): statement is RelationalStatement | MutationStatement =>
  'relation' in statement;

function checkEnvelope(database: Database, program: Program): string | undefined {
  const names = new Set<string>();
  for (const statement of program.statements) {
    if (names.has(statement.name)) throw invalid('invalid', 'statement name');
    names.add(statement.name);
    const isTransition = statement.kind.startsWith('start_');
    if (!isRelational(statement) && (database.mode === 'schema' || isTransition)) {
      throw invalid('invalid', 'authority');
    }
  }
  const relational = program.statements.filter(isRelational).map((statement) => statement.name);
  if (program.result !== undefined) {
    if (!relational.includes(program.result)) throw invalid('invalid', 'result');
    return program.result;
  }
  if (program.statements.length === 1 && relational.length === 1) return relational[0];
  if (relational.length === 0) return undefined;
  throw invalid('invalid', 'result is needed');
}

interface Progress {
  readonly database: Database;
  readonly statements: Map<string, Named>;
  readonly reserved: ReadonlySet<string>;
}

function progressOf(database: Database, program: Program): Progress {
  const reserved = new Set(
    program.statements.filter(isRelational).map((statement) => statement.name),
  );
  return { database, statements: new Map(), reserved };
}

/** Binds everything against what the catalog will be. */
function preflight(database: Database, program: Program): void {
  const progress = progressOf(database, program);
  for (const statement of program.statements) {
    if (!isRelational(statement)) {
      applyChange(database, statement as CatalogChange, false);
      continue;
    }
    const { columns } = bind(progress, statement);
    const isOrdered = statement.kind !== 'query' && statement.ordered === true;
    progress.statements.set(statement.name, { columns, rows: () => [], isOrdered });
  }
}

function bind(progress: Progress, statement: RelationalStatement | MutationStatement) {
  const isMutation = statement.kind !== 'query';
  const bound = bindQuery(statement.relation, progress, isMutation);
  if (!isMutation) return { bound, columns: bound.relation.columns };
  const table = progress.database.tables.find((candidate) => candidate.name === statement.table);
  if (table === undefined || !isVisible(progress.database, table)) {
    throw invalid('unknown_table', statement.table);
  }
  checkShape(statement, bound.relation, table);
  return { bound, columns: columnsOf(table), table };
}

function columnsOf(table: OracleTable): readonly Column[] {
  return table.columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
}

class Execution {
  isAmbiguous = false;
  private readonly database: Database;
  private readonly program: Program;
  private readonly selected: string | undefined;
  private readonly progress: Progress;

  constructor(database: Database, program: Program, selected: string | undefined) {
    this.database = database;
    this.program = program;
    this.selected = selected;
    this.progress = progressOf(database, program);
  }

  run(): Outcome {
    const affected: number[] = [];
    let shown: Shown = { result: 'null', rows: undefined };
    let isOrdered = true;
    for (const statement of this.program.statements) {
      if (!isRelational(statement)) {
        applyChange(this.database, statement as CatalogChange, true);
        affected.push(1);
        continue;
      }
      const { bound, columns } = bind(this.progress, statement);
      const rows = this.evaluate(bound);
      if (!Array.isArray(rows)) return rows as Outcome;
      const made = this.apply(statement, bound, rows);
      affected.push(made.length);
      const isSequence = statement.kind !== 'query' && statement.ordered === true;
      this.progress.statements.set(statement.name, {
        ...{ columns, rows: () => made, isOrdered: isSequence },
      });
      // Nobody knows the numbers of rows that are created in any order.
      const { isOrdered: isSorted, isListed, bound: most } = bound.relation;
      if (isSequence && isAnyOrder(statement) && !isSorted && !isListed && most > 1)
        this.isAmbiguous = true;
      if (statement.name !== this.selected) continue;
      isOrdered = isSequence || (statement.kind === 'query' && isSorted);
      shown = shape(statement, columns, made);
      if (statement.kind === 'query' && isFirstOfAny(statement.relation, bound.relation))
        shown = { ...shown, anyOf: made.length === 0 ? ['null'] : rowTexts(columns, made) };
    }
    return { kind: 'done', ...shown, isOrdered, affected, isAmbiguous: this.isAmbiguous };
  }

  private apply(
    statement: RelationalStatement | MutationStatement,
    bound: BoundQuery,
    rows: readonly Row[],
  ): readonly Row[] {
    if (statement.kind === 'query') return rows;
    const made = mutate(statement, this.database, bound.relation.columns, rows);
    return withFormats(this.database, statement.table, made);
  }

  /** The rows, or why there are none. */
  private evaluate(bound: BoundQuery): readonly Row[] | Outcome {
    const rows = bound.errors.attempt(() => bound.rows())?.value ?? [];
    const { certain, possible } = bound.errors;
    this.isAmbiguous ||= bound.errors.isAmbiguous;
    const errors = [...certain, ...possible];
    if (errors.length === 0) return rows;
    const isCertain = certain.length > 0 && !this.isAmbiguous;
    return { kind: isCertain ? 'refused' : 'open', errors };
  }
}

/** A mutation's rows as a scan of the table would show them. */
function withFormats(database: Database, name: string, rows: readonly Row[]): readonly Row[] {
  const table = database.tables.find((candidate) => candidate.name === name) as OracleTable;
  const query: Query = {
    nodes: { s: { kind: 'scan', table: name, scope: 's' } },
    root: { node: 's', cardinality: 'many' },
  };
  const copy: OracleTable = { ...table, rows: rows.map((row) => [...row]) };
  const context = {
    database: { ...database, tables: [copy], user: undefined },
    statements: new Map(),
    reserved: new Set<string>(),
  };
  return bindQuery(query, context, true).rows();
}

type Shown = Pick<Extract<Outcome, { kind: 'done' }>, 'result' | 'rows' | 'anyOf'>;

function rowTexts(columns: readonly Column[], rows: readonly Row[]): readonly string[] {
  const names = columns.map((column) => column.name);
  return rows.map((row) => encode(new RowValue(names, row)));
}

function shape(
  statement: RelationalStatement | MutationStatement,
  columns: readonly Column[],
  rows: readonly Row[],
): Shown {
  const names = columns.map((column) => column.name);
  const cardinality = statement.kind === 'query' ? statement.relation.root.cardinality : 'many';
  if (cardinality === 'many') {
    const texts = rowTexts(columns, rows);
    return { result: `[${texts.join()}]`, rows: texts };
  }
  if (cardinality === 'exactly_one') checkCardinality(rows);
  const [first] = rows;
  const whole = first === undefined ? null : new RowValue(names, first);
  return {
    result: encode(cardinality === 'scalar' ? (first?.[0] ?? null) : whole),
    rows: undefined,
  };
}
