/** Parses and checks the text of a request, at most once and only if no cached plan is valid. */

import { runSteps } from '#base';
import type { ProgramResponse, RequestContext } from '#engine';
import { type Query, queryText } from '#lir';
import { type Program, programOfQuery } from '#pir';
import { checkProgramSteps, checkQuerySteps } from '#wire';
import type { HttpContext } from '../context.ts';
import { parseBody } from '../edge/body.ts';
import { holdDocument } from '../edge/request-facts.ts';
import type { Asked } from './asked.ts';
import type { ProgramWatch } from './program-watch.ts';

/** Depth of the nodes of a program: its object, `statements`, a statement, `relation`, `nodes`, and the node object. */
const rowsDepth = 6;

export class Reading {
  private readonly context: HttpContext;
  private readonly asked: Asked;
  private readonly requestContext: RequestContext;
  private readonly watch: ProgramWatch;
  private read: Promise<Program> | undefined;
  /** The parsed body. */
  private document: unknown;

  constructor(
    context: HttpContext,
    asked: Asked,
    requestContext: RequestContext,
    watch: ProgramWatch,
  ) {
    this.context = context;
    this.asked = asked;
    this.requestContext = requestContext;
    this.watch = watch;
  }

  /** The checked program. Parsing starts at the first access. */
  get program(): Promise<Program> {
    this.read ??= this.readBody();
    return this.read;
  }

  /** Returns the normalized text of a query whose body was parsed. */
  get queryText(): string {
    return queryText(this.document as Query);
  }

  /** Caches the plan of the body, so that it can be found by text. */
  remember({ prepared: program }: ProgramResponse): void {
    const { body, isQuery, showPlan, dryRun } = this.asked;
    if (showPlan || dryRun || !program.isReusable) return;
    const { document } = this;
    const shown = isQuery ? { shown: this.queryText } : {};
    const { principal } = this.requestContext;
    this.context.templates().add({ principal, body, document, program, ...shown });
  }

  private async readBody(): Promise<Program> {
    const { context, asked, requestContext, watch } = this;
    const { body, isQuery, diagnosis } = asked;
    const { budget } = requestContext;
    holdDocument(requestContext, body);
    const turn = context.programTurns.enter(budget);
    if (turn !== undefined) await turn;
    const parsed = parseBody(context, body, budget, isQuery ? undefined : rowsDepth);
    const document = parsed instanceof Promise ? await parsed : parsed;
    this.document = document;
    // Without a wait in between, a small program is parsed and planned in one piece, whose time `TurnShare` measures.
    const checked = isQuery
      ? runSteps(checkQuerySteps(document, budget), budget)
      : runSteps(checkProgramSteps(document, budget), budget);
    const known = checked instanceof Promise ? await checked : checked;
    const program = isQuery ? programOfQuery(known as Query) : (known as Program);
    const identified = watch.checked(program, requestContext);
    if (identified !== undefined) await identified;
    if (diagnosis !== undefined) await diagnosis.checked(program, requestContext);
    return program;
  }
}
