/** The text of a request, read: parsed and checked once, and only where no plan of it holds. */

import { runSteps } from '#base';
import type { ProgramResponse, Ticket } from '#engine';
import { type Query, queryText } from '#lir';
import { type Program, programOfQuery } from '#pir';
import { checkProgramSteps, checkQuerySteps } from '#wire';
import type { HttpContext } from '../context.ts';
import { parseBody } from '../edge/body.ts';
import { holdDocument } from '../edge/request-facts.ts';
import type { Asked } from './asked.ts';
import type { ProgramWatch } from './program-watch.ts';

/** The nodes of a program lie in its object, `statements`, a statement, `relation`, `nodes`, and are objects themselves. */
const rowsDepth = 6;

export class Reading {
  private readonly context: HttpContext;
  private readonly asked: Asked;
  private readonly ticket: Ticket;
  private readonly watch: ProgramWatch;
  private read: Promise<Program> | undefined;
  /** What the body parsed to. */
  private document: unknown;

  constructor(context: HttpContext, asked: Asked, ticket: Ticket, watch: ProgramWatch) {
    this.context = context;
    this.asked = asked;
    this.ticket = ticket;
    this.watch = watch;
  }

  /** Checked. */
  get program(): Promise<Program> {
    this.read ??= this.readBody();
    return this.read;
  }

  /** Of a query that was read. */
  get queryText(): string {
    return queryText(this.document as Query);
  }

  /** Keeps what was planned from the body, to be found by its text. */
  remember({ prepared: program }: ProgramResponse): void {
    const { body, isQuery, showPlan, dryRun } = this.asked;
    if (showPlan || dryRun || !program.isReusable) return;
    const { document } = this;
    const shown = isQuery ? { shown: this.queryText } : {};
    const { principal } = this.ticket;
    this.context.templates().add({ principal, body, document, program, ...shown });
  }

  private async readBody(): Promise<Program> {
    const { context, asked, ticket, watch } = this;
    const { body, isQuery, diagnosis } = asked;
    const { budget } = ticket;
    holdDocument(ticket, body);
    const turn = context.programTurns.enter(budget);
    if (turn !== undefined) await turn;
    const parsed = parseBody(context, body, budget, isQuery ? undefined : rowsDepth);
    const document = parsed instanceof Promise ? await parsed : parsed;
    this.document = document;
    // Without a wait in between, parsing and planning of a small program are one stretch, which the share of the turn sees.
    const checked = isQuery
      ? runSteps(checkQuerySteps(document, budget), budget)
      : runSteps(checkProgramSteps(document, budget), budget);
    const known = checked instanceof Promise ? await checked : checked;
    const program = isQuery ? programOfQuery(known as Query) : (known as Program);
    const identified = watch.checked(program, ticket);
    if (identified !== undefined) await identified;
    if (diagnosis !== undefined) await diagnosis.checked(program, ticket);
    return program;
  }
}
