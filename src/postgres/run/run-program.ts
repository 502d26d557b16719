/** Runs a compiled statement: as an ordinary program, or within an open transaction. */

import type {
  Engine,
  EngineTransaction,
  ProgramRequest,
  ProgramResponse,
  RequestContext,
} from '#engine';
import type { Instance, StatementValues } from '#sql';
import type { CompiledStatement, PlanShelf } from './compiled-statement.ts';

interface RunFacts {
  readonly engine: Engine;
  readonly requestContext: RequestContext;
  /** Without it, the engine repeats the statement after a conflict. */
  readonly transaction: EngineTransaction | undefined;
  /** Checks the result of a statement that writes, before it is committed. */
  readonly check: ProgramRequest['beforeCommit'];
}

/** Returns synchronously if nothing has to be waited for. */
export function runProgram(
  statement: CompiledStatement,
  values: StatementValues,
  { engine, requestContext, transaction, check }: RunFacts,
): ProgramResponse | Promise<ProgramResponse> {
  const visibilityClass = requestContext.principal.visibility.key;
  const shelf = { plans: engine.plans, visibilityClass };
  const request = new StatementRequest(statement, values, shelf, check);
  const running =
    transaction === undefined
      ? engine.execute(request, requestContext)
      : transaction.run(request, { requestContext });
  if (running instanceof Promise) return running.then((response) => request.done(response));
  return request.done(running);
}

class StatementRequest implements ProgramRequest {
  readonly known: ProgramRequest['known'];
  readonly beforeCommit: ProgramRequest['beforeCommit'];
  readonly isWithoutRows: boolean;
  private readonly statement: CompiledStatement;
  private readonly values: StatementValues;
  private readonly shelf: PlanShelf;
  private readonly variant: string;
  private instance: Instance | undefined;

  constructor(
    statement: CompiledStatement,
    values: StatementValues,
    shelf: PlanShelf,
    check: ProgramRequest['beforeCommit'],
  ) {
    this.beforeCommit = check;
    this.isWithoutRows = statement.compiled.columns === undefined;
    this.statement = statement;
    this.values = values;
    this.variant = statement.compiled.variant(values);
    this.shelf = shelf;
    this.known = statement.known(this.variant, values, shelf);
  }

  program(): Instance['program'] {
    this.instance ??= this.statement.compiled.instantiate(this.values);
    return this.instance.program;
  }

  done(response: ProgramResponse): ProgramResponse {
    const { instance } = this;
    if (instance !== undefined)
      this.statement.remember(this.variant, response.prepared, instance, this.shelf);
    return response;
  }
}
