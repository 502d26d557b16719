/** Runs a planned program, one statement after the other. */

import { type Claims, claimValue } from '#access';
import { runSteps, type Steps, unreachable } from '#base';
import {
  DatabaseError,
  type Failure,
  type ExecutionContext as FailureContext,
  fail,
  type Reason,
  reasons,
} from '#failure';
import { pointerOf } from '#lir';
import type { ProgramPlan, StatementPlan } from '#planner';
import { EvaluationFailure, type Row } from '#value';
import { catalogStatement } from './effects/catalog-statement.ts';
import { mutationStatement } from './mutate/mutation-statement.ts';
import type { ProgramOutcome, ProgramResult, StatementOutcome } from './outcome.ts';
import { placeInPlan } from './plan-place.ts';
import { type ProgramContext, ProgramRun } from './program-run.ts';
import { queryStatement, type StatementEnd } from './query-statement.ts';

/**
 * Executes the program; returns the outcome without a promise if nothing has to wait. Fails with a DatabaseError; the caller then has to release
 * the transaction.
 */
export function executeProgram(
  given: ProgramPlan,
  context: ProgramContext,
): ProgramOutcome | Promise<ProgramOutcome> {
  const { trace, budget, view, transaction, claims } = context;
  const plan = given.claims.length === 0 ? given : withClaims(given, claims);
  if (trace === undefined) return runSteps(programSteps(new ProgramRun(plan, context)), budget);
  const own = transaction && trace.transaction(transaction);
  const traced = { ...context, view: own ?? trace.view(view), transaction: own };
  return trace.attempt(plan, () => runSteps(programSteps(new ProgramRun(plan, traced)), budget));
}

/** Returns the plan with the claims of its principal as parameters. */
function withClaims(plan: ProgramPlan, claims: Claims = {}): ProgramPlan {
  const parameters = [...plan.parameters];
  for (const { index, claim } of plan.claims) parameters[index] = claimValue(claims, claim);
  return { ...plan, parameters };
}

function* programSteps(run: ProgramRun): Steps<ProgramOutcome> {
  const statements: StatementOutcome[] = [];
  let result: ProgramResult | undefined;
  const { trace, statements: meter } = run.context;
  const plans = run.plan.statements;
  for (let index = 0; index < plans.length; index++) {
    const statement = plans[index] as StatementPlan;
    trace?.begin(statement);
    try {
      const end = yield* statementSteps(statement, run);
      statements.push(end.outcome);
      meter?.done(statement.kind, end.outcome.affected);
      trace?.end(end.outcome.affected);
      result = end.result ?? result;
    } catch (error) {
      meter?.failed(statement.kind);
      trace?.end(undefined);
      throw failureOf(error, { statement, index }, run);
    }
    run.endStatement();
  }
  return { statements, result };
}

function statementSteps(statement: StatementPlan, run: ProgramRun): Steps<StatementEnd> {
  switch (statement.kind) {
    case 'query':
      return queryStatement(statement, run);
    case 'create':
    case 'update':
    case 'delete':
      return mutationStatement(statement, run);
    case 'catalog':
      return catalogStatement(statement, run);
    default:
      return unreachable(statement);
  }
}

interface Place {
  readonly statement: StatementPlan;
  /** Position of the statement in the program. */
  readonly index: number;
}

/** Returns a failure in its public form: with its location in the document, the statement in its detail, and the operator that was running. */
function failureOf(error: unknown, { statement, index }: Place, run: ProgramRun): unknown {
  const { name: binding } = statement;
  const detail = (text: string) => `statement "${binding}": ${text}`;
  const location = run.plan.isQuery
    ? {}
    : { location: { pointer: `/statements/${index}`, binding } };
  const execution = inPlan(run.query?.current?.context() ?? {}, statement);
  if (error instanceof EvaluationFailure) {
    return fail(error.reason, detail(error.message), { ...location, execution, cause: error });
  }
  if (!(error instanceof DatabaseError)) return error;
  const { failure } = error;
  if (reasons[failure.reason].code === 'internal') return error;
  const row = inputRowOf(failure, statement, run.plan);
  const needsPlace = failure.reason === 'deadline_exceeded' && failure.execution === undefined;
  return new DatabaseError(
    {
      ...location,
      ...failure,
      ...(row && { location: { pointer: rowPointer(index, row), node: row.node, binding } }),
      detail: detail(row === undefined ? failure.detail : row.words + failure.detail),
      ...(needsPlace && { execution }),
      ...(failure.execution && { execution: inPlan(failure.execution, statement) }),
    },
    { cause: error.cause },
  );
}

/** Adds the binding and the crossing that the operator belongs to. */
function inPlan(execution: FailureContext, statement: StatementPlan): FailureContext {
  const { operator_id: id } = execution;
  if (id === undefined || statement.kind === 'catalog') return execution;
  return { ...execution, ...placeInPlan(statement.query, Number(id)) };
}

/** Reasons of failures that concern a row of the input. If the input has only one row, its location is reported although the failure has no row number. */
const ofRows: ReadonlySet<Reason> = new Set<Reason>([
  'constraint_violation',
  'mutation_target_not_found',
  'mutation_target_ambiguous',
]);

interface InputRow {
  /** Name of the node that contains the rows. */
  readonly node: string;
  readonly row: number;
  /** Prefix of the detail with the number of the row, counted from 1; empty if the input has only one row. */
  readonly words: string;
}

/** Returns the location of the row in the document; undefined if it is not known or the input is not part of the document. */
function inputRowOf(
  { reason, inputRow }: Failure,
  statement: StatementPlan,
  { parameters }: ProgramPlan,
): InputRow | undefined {
  if (statement.kind === 'query' || statement.kind === 'catalog') return undefined;
  const { rowsNode: node, query } = statement;
  if (node === undefined || query.root.kind !== 'rows') return undefined;
  const { length } = parameters[query.root.parameter] as readonly Row[];
  const row = inputRow ?? (length === 1 && ofRows.has(reason) ? 0 : undefined);
  if (row === undefined) return undefined;
  return { node, row, words: length === 1 ? '' : `row ${row + 1} of ${length}: ` };
}

function rowPointer(index: number, { node, row }: InputRow): string {
  return pointerOf(['statements', index, 'relation', 'nodes', node, 'rows', row]);
}
