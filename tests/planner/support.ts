/** A small catalog, short forms for LIR, and what the planner makes of them. */

import { applyChange, type Catalog, emptyCatalog, type TableDefinition } from '#catalog';
import { DatabaseError, type Failure } from '#failure';
import type { Binding, Cardinality, Expression, Node, Query, ScanNode } from '#lir';
import type { Program, Statement } from '#pir';
import type { PlanOptions, ProgramPlan } from '#planner';
import { planQuery } from '../support/plan-query.ts';
import { explainProgram, planProgram } from '../support/plans.ts';

const user: TableDefinition = {
  name: 'user',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'name', type: 'text' },
    { name: 'email', type: 'text' },
    { name: 'age', type: 'int64', nullable: true },
    { name: 'score', type: 'float64', nullable: true },
    { name: 'active', type: 'bool' },
    { name: 'avatar', type: 'bytes', nullable: true },
  ],
  primary_key: ['id'],
  indexes: [
    { name: 'user_email', columns: ['email'], unique: true },
    { name: 'user_age', columns: ['age'] },
  ],
};

const post: TableDefinition = {
  name: 'post',
  columns: [
    { name: 'author', type: 'int64' },
    { name: 'seq', type: 'int64' },
    { name: 'title', type: 'text' },
    { name: 'tag', type: 'text', nullable: true },
    { name: 'rank', type: 'int64', nullable: true },
  ],
  primary_key: ['author', 'seq'],
  indexes: [{ name: 'post_tag_rank', columns: ['tag', 'rank'] }],
};

const note: TableDefinition = {
  name: 'note',
  columns: [
    { name: 'id', type: 'int64', default: { kind: 'generator', func: 'increment' } },
    { name: 'owner', type: 'int64' },
    { name: 'body', type: 'text', nullable: true },
  ],
  primary_key: ['id'],
};

export const catalog: Catalog = [user, post, note].reduce(
  (before, table) => applyChange(before, { kind: 'create_table', table }).catalog,
  emptyCatalog,
);

export const plain: PlanOptions = { accessPaths: 'scan_only', crossings: 'nested' };
export const full: PlanOptions = { accessPaths: 'all', crossings: 'spooled' };

type Binary = Extract<Expression, { kind: 'binary' }>;

/** `'s.name'`, or an expression as it is. */
export type Term = string | number | boolean | Expression;

export function term(value: Term): Expression {
  if (typeof value === 'number') return lit('int64', String(value));
  if (typeof value === 'boolean') return { kind: 'lit', value: { type: 'bool', value } };
  if (typeof value !== 'string') return value;
  const [scope, column] = value.split('.') as [string, string];
  return { kind: 'col', scope, column };
}

export function lit(type: 'text' | 'int64' | 'float64' | 'bytes', value?: string): Expression {
  return { kind: 'lit', value: value === undefined ? { type } : { type, value } };
}

export function op(name: Binary['op'], left: Term, right: Term): Expression {
  return { kind: 'binary', op: name, left: term(left), right: term(right) };
}

export function all(...terms: readonly Term[]): Expression {
  return terms.map(term).reduce((left, right) => op('and', left, right));
}

export function unary(name: 'not' | 'negate' | 'is_null' | 'is_not_null', of: Term): Expression {
  return { kind: 'unary', op: name, expr: term(of) };
}

export function crossing(kind: 'exists' | 'first' | 'scalar' | 'array', node: string): Expression {
  return { kind, node };
}

export function scan(table: string, scope: string): ScanNode {
  return { kind: 'scan', table, scope };
}

export function filter(input: string, predicate: Term): Node {
  return { kind: 'filter', input, predicate: term(predicate) };
}

export function order(input: string, ...terms: readonly Term[]): Node {
  const parsed = terms.map((value) => {
    if (typeof value !== 'string' || !value.startsWith('-')) return { expr: term(value) };
    return { expr: term(value.slice(1)), desc: true };
  });
  return { kind: 'order', input, terms: parsed };
}

export function project(input: string, fields: Record<string, Term>, scope?: string): Node {
  const list = Object.entries(fields).map(([as, value]) => ({ as, expr: term(value) }));
  return { kind: 'project', input, fields: list, ...(scope && { scope }) };
}

export function join(
  left: string,
  right: string,
  on: Term,
  kind: 'inner' | 'left' = 'inner',
): Node {
  return { kind: 'join', left, right, join: kind, on: term(on) };
}

/** One int64 column `n`, not nullable. */
export function numbers(scope: string, ...values: readonly number[]): Node {
  const columns = [{ name: 'n', type: 'int64' as const }];
  return { kind: 'rows', scope, columns, rows: values.map((value) => [String(value)]) };
}

/** The last node is the root. */
export function query(
  nodes: Record<string, Node>,
  cardinality: Cardinality = 'exactly_one',
  bindings?: Record<string, Binding>,
): Query {
  const node = Object.keys(nodes).at(-1) as string;
  return { nodes, root: { node, cardinality }, ...(bindings && { bindings }) };
}

export function planOf(of: Query, options: PlanOptions = full): ProgramPlan {
  return planQuery(of, catalog, options);
}

/** The plan as the one statement of a program, as text without what the planner considered and guessed. */
export function textOf(relation: Query, options: PlanOptions = full): string {
  const program: Program = { statements: [{ kind: 'query', name: 'q', relation }] };
  const [statement] = explainProgram(planProgram(program, 'q', catalog, options)).statements;
  return shortened(statement?.text ?? '');
}

/** Registers are numbered anew: numbers are left out where a plan was thrown away. */
export function shortened(text: string): string {
  const registers = new Map<string, number>();
  return text
    .replaceAll(/ \| why [^|[]*(?= [|[])/g, '')
    .replaceAll(/ ?\| \[[^\]]*\]$/gm, '')
    .replaceAll(/outer \d+/g, (name) => {
      if (!registers.has(name)) registers.set(name, registers.size);
      return `outer ${registers.get(name)}`;
    });
}

export function failureOf(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if (error instanceof DatabaseError) return error.failure;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Reason and pointer of the first violation, such as `type_mismatch /nodes/f/predicate`. */
export function refusalOf(of: Query): string {
  const { reason, location } = failureOf(() => planOf(of));
  return `${reason} ${location?.pointer}`;
}

export function detailOf(of: Query): string {
  return failureOf(() => planOf(of)).detail;
}

export function planAll(statements: readonly Statement[], result?: string): ProgramPlan {
  const program: Program = { statements };
  return planProgram(program, result, catalog, full);
}

export function refusalOfProgram(...statements: readonly Statement[]): string {
  const { reason, location } = failureOf(() => planAll(statements));
  return `${reason} ${location?.pointer}`;
}
