/** One session: takes the messages of a client in order, and writes the replies. */

import { fail } from '#failure';
import { sqlError } from '#sql';
import { errorResponse, parameterStatus, readyForQuery } from '../codec/backend.ts';
import type { FrontendMessage } from '../codec/frontend.ts';
import { reportedRules } from '../settings/rules.ts';
import { Settings } from '../settings/settings.ts';
import { type ErrorReport, fieldsOf, reportOf } from '../sqlstate/error-report.ts';
import { Commands } from './commands.ts';
import type { Outlet, SessionEnvironment, SessionIdentity } from './environment.ts';
import { ExtendedQueries } from './extended-queries.ts';
import { Programs } from './programs.ts';
import { SessionContext } from './session-context.ts';
import { SimpleQueries } from './simple-queries.ts';

export class Session {
  private readonly context: SessionContext;
  private readonly simple: SimpleQueries;
  private readonly extended: ExtendedQueries;
  /** Whether messages are ignored until Sync, after an error. */
  private isSkipping = false;
  private readonly reported = new Map<string, string>();
  private reportedVersion = -1;

  constructor(
    environment: SessionEnvironment,
    identity: SessionIdentity,
    outlet: Outlet,
    given: ReadonlyMap<string, string>,
  ) {
    this.context = new SessionContext(environment, identity, outlet, new Settings(given));
    const commands = new Commands(this.context, new Programs(this.context));
    this.simple = new SimpleQueries(this.context, commands);
    this.extended = new ExtendedQueries(this.context, commands);
  }

  /** Whether a transaction block is open, which a shutdown gives time. */
  get isInBlock(): boolean {
    return this.context.transactions.state !== 'I';
  }

  /** Takes one message. `nextType` is the type of the next received message. Returns a wait if the message needs one. */
  take(message: FrontendMessage, nextType: number | undefined): void | Promise<void> {
    if (message.kind === 'sync') return this.sync();
    if (this.isSkipping) return undefined;
    const { language } = this.context.environment;
    // Statements are recognized and compiled without waiting, so the parser is loaded before.
    if (language.parser() === undefined)
      return language.load().then(() => this.taken(message, nextType));
    return this.taken(message, nextType);
  }

  private taken(message: FrontendMessage, nextType: number | undefined): void | Promise<void> {
    try {
      const taken = this.dispatch(message, nextType);
      return taken instanceof Promise ? taken.catch((error) => this.failed(error, message)) : taken;
    } catch (error) {
      return this.failed(error, message);
    }
  }

  /** Writes the settings that have changed, and says that the session is ready. */
  ready(): void {
    const { settings, outlet, transactions } = this.context;
    if (settings.version !== this.reportedVersion) {
      this.reportedVersion = settings.version;
      for (const { name } of reportedRules) this.report(name, settings.get(name));
    }
    readyForQuery(outlet.writer, transactions.state);
    outlet.flush();
  }

  /** Ends the running statement on request of the client. */
  cancel(): void {
    this.context.interrupt?.(sqlError('57014', 'canceling statement due to user request'));
  }

  close(): void {
    this.context.close();
  }

  /** Reports an error of the message that is being taken. */
  private failed(error: unknown, message: FrontendMessage): void | Promise<void> {
    const { context } = this;
    context.transactions.fail();
    const report = reportOf(error);
    this.tell(report);
    if (report.isFatal) {
      context.outlet.flush();
      context.outlet.terminate(report.sqlstate, report.message);
      return undefined;
    }
    if (message.kind !== 'query') {
      this.isSkipping = true;
      return undefined;
    }
    return this.finish();
  }

  private tell(report: ErrorReport): void {
    if (report.isFatal) return;
    const { environment, outlet } = this.context;
    const incident = report.defect === undefined ? undefined : environment.defect(report.defect);
    errorResponse(outlet.writer, fieldsOf(report, 'ERROR', incident));
  }

  private dispatch(message: FrontendMessage, nextType: number | undefined): void | Promise<void> {
    switch (message.kind) {
      case 'query': {
        const done = this.simple.run(message.text);
        return done instanceof Promise ? done.then(() => this.finish()) : this.finish();
      }
      case 'parse':
        return this.extended.parse(message);
      case 'bind':
        return this.extended.bind(message);
      case 'describe':
        return this.extended.describe(message);
      case 'execute':
        return this.extended.execute(message, nextType === syncType);
      case 'close':
        return this.extended.close(message);
      case 'flush':
        this.context.outlet.flush();
        return undefined;
      case 'function_call':
        throw sqlError('0A000', 'function calls by the fast path are not supported', {
          hint: 'Write SELECT with the function.',
        });
      case 'copy':
        return undefined;
      default:
        throw fail('internal', `the message ${message.kind} is not one of a session`);
    }
  }

  private sync(): void | Promise<void> {
    this.isSkipping = false;
    return this.finish();
  }

  /** Ends an implicit transaction, and says that the session is ready. */
  private finish(): void | Promise<void> {
    const { transactions } = this.context;
    const ending = transactions.endImplicit();
    if (ending === undefined) {
      this.endPortals();
      return this.ready();
    }
    return ending.then(
      () => this.ready(),
      (error) => {
        this.tell(reportOf(error));
        this.ready();
      },
    );
  }

  /** Portals end with their transaction. Outside of a block, that is each statement. */
  private endPortals(): void {
    const { transactions, portals } = this.context;
    if (!transactions.isOpen && portals.size > 0) this.context.closePortals();
  }

  private report(name: string, value: string): void {
    if (this.reported.get(name) === value) return;
    this.reported.set(name, value);
    parameterStatus(this.context.outlet.writer, name, value);
  }
}

const syncType = 0x53;
