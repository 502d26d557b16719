/** Whole programs: preflight on a throw-away copy, then execution in order, all or nothing (pir.md §2, §3, §5). */

import type { Query } from '#lir';
import type {
  CatalogStatement,
  MutationStatement,
  Program,
  RelationalStatement,
  Statement,
} from '#pir';
import { applyChange } from './catalog.ts';
import type { Named } from './context.ts';
import { copyDatabase, type Database, type OracleTable } from './database.ts';
import { checkShape, mutate } from './mutation.ts';
import { invalid, OracleProblem } from './problem.ts';
import { type BoundQuery, bindQuery, checkCardinality, checkGraph } from './query.ts';
import type { Column, Row } from './relation.ts';
import { ArrayValue, encode, RowValue, type Value } from './value.ts';

export type Outcome =
  | {
      readonly kind: 'done';
      /** JSON text. */
      readonly result: string;
      /** Whether the order of the result's rows means anything. */
      readonly isOrdered: boolean;
      readonly affected: readonly number[];
      /** Some choice that the specification leaves open was met: another answer may be right too. */
      readonly isAmbiguous: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly code: string;
      /** Any of these may be reported. */
      readonly reasons: readonly string[];
    }
  /** The specification leaves open whether an error shows. */
  | { readonly kind: 'open'; readonly reasons: readonly string[] };

/** Runs a grammar-checked program; `database` changes only when it succeeds. */
export function runProgram(database: Database, program: Program): Outcome {
  const after = copyDatabase(database);
  try {
    for (const statement of program.statements)
      if ('relation' in statement) checkGraph(statement.relation);
    const selected = checkEnvelope(database, program);
    preflight(copyDatabase(database), program);
    const outcome = execute(after, program, selected);
    if (outcome.kind === 'done') Object.assign(database, after);
    return outcome;
  } catch (error) {
    if (!(error instanceof OracleProblem)) throw error;
    return { kind: 'refused', code: error.code, reasons: [error.reason] };
  }
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
      applyChange(database, statement as CatalogStatement, false);
      continue;
    }
    const { columns } = bind(progress, statement);
    progress.statements.set(statement.name, { columns, rows: () => [] });
  }
}

function bind(progress: Progress, statement: RelationalStatement | MutationStatement) {
  const isMutation = statement.kind !== 'query';
  const bound = bindQuery(statement.relation, progress, isMutation);
  if (!isMutation) return { bound, columns: bound.relation.columns };
  const table = progress.database.tables.find((candidate) => candidate.name === statement.table);
  if (table === undefined) throw invalid('unknown_table', statement.table);
  checkShape(statement, bound.relation, table);
  return { bound, columns: columnsOf(table), table };
}

function columnsOf(table: OracleTable): readonly Column[] {
  return table.columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
}

function execute(database: Database, program: Program, selected: string | undefined): Outcome {
  const progress = progressOf(database, program);
  const affected: number[] = [];
  let result = 'null';
  let isOrdered = true;
  let isAmbiguous = false;
  for (const statement of program.statements) {
    if (!isRelational(statement)) {
      applyChange(database, statement as CatalogStatement, true);
      affected.push(1);
      continue;
    }
    const { bound, columns } = bind(progress, statement);
    const rows = evaluate(bound);
    if (!Array.isArray(rows)) return rows as Outcome;
    const made =
      statement.kind === 'query' ? rows : mutate(statement, database, bound.relation.columns, rows);
    affected.push(made.length);
    isAmbiguous ||= bound.errors.isAmbiguous;
    const shown = statement.kind === 'query' ? made : withFormats(database, statement.table, made);
    progress.statements.set(statement.name, { columns, rows: () => shown });
    if (statement.name !== selected) continue;
    isOrdered = statement.kind === 'query' && bound.relation.isOrdered;
    result = encode(shape(statement, columns, shown));
  }
  return { kind: 'done', result, isOrdered, affected, isAmbiguous };
}

/** The rows, or why there are none. */
function evaluate(bound: BoundQuery): readonly Row[] | Outcome {
  const rows = bound.errors.attempt(() => bound.rows())?.value ?? [];
  const { certain, possible } = bound.errors;
  const reasons = [...certain, ...possible].map((error) => error.reason);
  if (certain.length > 0) return { kind: 'refused', code: 'execution_failed', reasons };
  if (possible.length > 0) return { kind: 'open', reasons };
  return rows;
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
    database: { ...database, tables: [copy] },
    statements: new Map(),
    reserved: new Set<string>(),
  };
  return bindQuery(query, context, true).rows();
}

function shape(
  statement: RelationalStatement | MutationStatement,
  columns: readonly Column[],
  rows: readonly Row[],
): Value {
  const names = columns.map((column) => column.name);
  const first = rows[0];
  const cardinality = statement.kind === 'query' ? statement.relation.root.cardinality : 'many';
  switch (cardinality) {
    case 'many':
      return new ArrayValue(rows.map((row) => new RowValue(names, row)));
    case 'exactly_one':
      checkCardinality(rows);
      return new RowValue(names, first as Row);
    case 'first':
      return first === undefined ? null : new RowValue(names, first);
    case 'scalar':
      return first?.[0] ?? null;
  }
}
