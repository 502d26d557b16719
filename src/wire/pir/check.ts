/** Checks JSON as a program: its grammar and its graphs (docs/pir.md §9, steps 1 and 2). */

import { neverYield, runWithoutWaiting, type Steps, type YieldPolicy } from '#base';
import { DatabaseError } from '#failure';
import { checkGraphSteps, pointerOf } from '#lir';
import { isRelational, type Program, type Statement } from '#pir';
import { compileDefinition } from '../check/compile.ts';
import type { Definitions } from '../check/json-schema.ts';
import { type GrammarError, Report } from '../check/report.ts';
import { violation } from '../check/violation.ts';
import { reportQuerySteps } from '../lir/check.ts';
import { checkDefault } from './default.ts';
import { pirDefinitions } from './program.ts';

const checkGrammar = compileDefinition('Program', pirDefinitions as Definitions, {
  ColumnDefinition: checkDefault,
  ReplacementDefinition: checkDefault,
});

/** Checks the body of `POST /execute`. Returns `json` itself: a checked document is a `Program` without conversion. */
export function checkProgram(json: unknown): Program {
  return runWithoutWaiting(checkProgramSteps(json, neverYield));
}

/** Like `checkProgram`, but yields between and within statements according to `pace`. */
export function* checkProgramSteps(json: unknown, pace: YieldPolicy): Steps<Program> {
  const wait = pace.pause(Infinity);
  if (wait !== undefined) yield wait;
  const report = new Report();
  checkGrammar(json, 0, report);
  if (report.grammar.length > 0) throw violation(report.grammar, { status: 400 });
  const program = json as Program;
  for (const [index, statement] of program.statements.entries()) {
    if (isRelational(statement)) yield* checkRelation(statement, index, pace);
    else if (report.payload.length > 0) checkDefaults(report.payload, statement, index);
  }
  return program;
}

type Relational = Extract<Statement, { readonly relation: unknown }>;

function* checkRelation(statement: Relational, index: number, pace: YieldPolicy): Steps<void> {
  const { relation, name } = statement;
  const prefix = pointerOf(['statements', index, 'relation']);
  const wait = pace.pause(Infinity);
  if (wait !== undefined) yield wait;
  const report = yield* reportQuerySteps(relation, pace);
  const findings = [...report.grammar, ...report.payload];
  if (findings.length > 0) throw violation(findings, { status: 422, prefix, statement: name });
  const between = pace.pause(Infinity);
  if (between !== undefined) yield between;
  try {
    yield* checkGraphSteps(relation, pace);
  } catch (error) {
    throw error instanceof DatabaseError ? withinStatement(error, prefix, name) : error;
  }
}

/** Returns the failure with its detail and pointer relative to the program. */
function withinStatement(error: DatabaseError, prefix: string, name: string): DatabaseError {
  const { detail, location = {}, ...rest } = error.failure;
  const pointer = prefix + (location.pointer ?? '');
  return new DatabaseError(
    {
      ...rest,
      detail: `statement ${JSON.stringify(name)}: ${detail}`,
      location: { ...location, pointer },
    },
    { cause: error },
  );
}

function checkDefaults(payload: readonly GrammarError[], { name }: Statement, index: number): void {
  const own = payload.filter(({ head }) => head[1] === index);
  if (own.length > 0) throw violation(own, { status: 422, statement: name });
}
