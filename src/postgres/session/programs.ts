/** Compiles and runs the statements that are programs. */

import type { Principal } from '#access';
import { invariant } from '#base';
import type { Catalog } from '#catalog';
import type { ProgramResponse, RequestContext } from '#engine';
import {
  type CompileSetting,
  type SettingEffect,
  type SqlColumn,
  type SqlValue,
  type StatementValues,
  sqlError,
} from '#sql';
import { CompiledStatement } from '../run/compiled-statement.ts';
import { runProgram } from '../run/run-program.ts';
import { schemasOf } from '../settings/settings.ts';
import type { Outcome } from './outcome.ts';
import type { Compilation, Prepared } from './prepared.ts';
import type { SessionContext } from './session-context.ts';
import { checkWritable } from './write-result.ts';

export class Programs {
  private readonly session: SessionContext;

  constructor(session: SessionContext) {
    this.session = session;
  }

  /** Compiles a statement for the present catalog and settings. */
  compile(prepared: Prepared): Compilation {
    const { settings, principal } = this.session;
    const { compiled: known } = prepared;
    const { version: settingsVersion } = settings;
    const { key: visibilityClass } = principal.visibility;
    const catalog = this.catalog(principal);
    if (
      known?.catalog === catalog &&
      known.settingsVersion === settingsVersion &&
      known.visibilityClass === visibilityClass
    ) {
      return known;
    }
    const made = this.compiled(prepared, this.setting(catalog), visibilityClass);
    const compiled = { ...made, catalog, settingsVersion, visibilityClass };
    prepared.compiled = compiled;
    return compiled;
  }

  private compiled(
    { statement, text, types }: Prepared,
    setting: CompileSetting,
    visibilityClass: string,
  ): Pick<Compilation, 'statement' | 'literals'> {
    const { language, statements } = this.session.environment;
    invariant(
      statement !== undefined && statement.kind !== 'command',
      'only programs are compiled',
    );
    const parameterTypes = Array.from({ length: statement.parametersMax }, (_, i) => types[i]);
    if (statement.kind === 'nested') {
      const input = { node: statement.node, text, parameterTypes, literals: [], setting };
      const compiled = new CompiledStatement(language.compile(input), setting.catalog);
      return { statement: compiled, literals: [] };
    }
    const request = { parameterTypes, setting, scope: scopeOf(setting, visibilityClass) };
    const found = statements.prepare(statement, request, language.parser());
    invariant(found !== undefined, 'the parser is loaded before a statement is compiled');
    return { statement: found.value, literals: found.literals };
  }

  /**
   * Runs a statement in the open transaction, or else alone. Returns synchronously if nothing has to be waited for. `formats` are those of
   * the shown columns, for a check before the commit.
   */
  run(
    prepared: Prepared,
    parameters: readonly SqlValue[],
    formats: readonly number[],
  ): Outcome | Promise<Outcome> {
    const { session } = this;
    const { statement, literals } = this.compile(prepared);
    const values: StatementValues = { parameters, literals, session: session.values() };
    const requestContext = this.requestContext();
    const before = session.settings.state;
    const { programs } = session.environment;
    const failed = (error: unknown): never => {
      session.interrupt = undefined;
      programs?.fail(false, this.secondsOf(requestContext), 1);
      requestContext.close();
      if (!session.transactions.isOpen) session.settings.restore(before);
      throw error;
    };
    session.interrupt = (reason) => requestContext.budget.end(reason);
    programs?.enter();
    try {
      this.apply(statement.compiled.effects, values);
      const { engine, transactions } = session;
      const transaction = transactions.use();
      const { columns, isReadOnly } = statement.compiled;
      const check =
        columns === undefined || isReadOnly
          ? undefined
          : checkWritable(columns, formats, session.textSetting);
      const facts = { engine, requestContext, transaction, check };
      const running = runProgram(statement, values, facts);
      if (!(running instanceof Promise)) return this.done(statement, running, requestContext);
      return running.then((response) => this.done(statement, response, requestContext), failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** Returns a context for work that is not a compiled statement. Its owner closes it. */
  requestContext(): RequestContext {
    const { engine, principal, deadlineMs, outlet, environment } = this.session;
    return engine.requestContext({
      arrivedMs: environment.world.clock.monotonicMs(),
      deadlineMs,
      deadlineSource: 'the setting statement_timeout',
      signal: () => outlet.signal,
      principal,
    });
  }

  private secondsOf({ budget }: RequestContext): number {
    return (this.session.environment.world.clock.monotonicMs() - budget.arrivedMs) / 1000;
  }

  private catalog(principal: Principal): Catalog {
    const { engine, transactions, environment } = this.session;
    return environment.views.of(transactions.transaction?.catalog ?? engine.catalog, principal);
  }

  private setting(catalog: Catalog): CompileSetting {
    const { settings, engine, identity } = this.session;
    return {
      catalog,
      mode: engine.mode,
      searchPath: schemasOf(settings.get('search_path'), identity.user),
      timeZone: settings.get('TimeZone'),
      unixMs: settings.get('svc.unix_ms') === 'int8' ? 'int8' : 'timestamptz',
    };
  }

  private apply(effects: readonly SettingEffect[], values: StatementValues): void {
    const { settings, transactions } = this.session;
    for (const effect of effects) {
      const [name, value] = [effect.name(values), effect.value(values)];
      // Outside of a block the transaction of a local value ends with this statement.
      if (!effect.isLocal || transactions.isOpen) settings.set(name, value, effect.isLocal);
    }
  }

  private done(
    { compiled }: CompiledStatement,
    response: ProgramResponse,
    requestContext: RequestContext,
  ): Outcome {
    this.session.interrupt = undefined;
    requestContext.leave();
    const { columns, tag, isCounted, counted, notices = [] } = compiled;
    for (const { sqlstate, message } of notices) this.session.notice(sqlstate, message, 'NOTICE');
    const { result, statements } = response;
    const { programs } = this.session.environment;
    const resultRows = result?.rows.length ?? 0;
    programs?.leave(false, this.secondsOf(requestContext), statements, resultRows);
    if (columns === undefined) requestContext.close();
    const rows = result?.rows ?? [];
    const shown = columns && { columns, output: result?.columns ?? [], rows };
    const held = columns === undefined ? undefined : requestContext;
    if (!isCounted) return { tag, result: shown, held };
    if (counted === undefined) return { tag, isRowCount: true, result: shown, held };
    let affected = 0;
    for (const { name, affected: count } of statements)
      if (counted.includes(name)) affected += count;
    return { tag: `${tag === 'INSERT' ? 'INSERT 0' : tag} ${affected}`, result: shown, held };
  }
}

/** Returns everything, except the parameter types, that the meaning of a text depends on. */
function scopeOf(setting: CompileSetting, visibilityClass: string): string {
  const { mode, searchPath, timeZone, unixMs } = setting;
  return JSON.stringify([visibilityClass, mode, unixMs, timeZone, searchPath]);
}

/** Throws if the columns differ from the described ones. */
export function requireSameShape(
  described: readonly SqlColumn[] | undefined,
  columns: readonly SqlColumn[] | undefined,
): void {
  if (described === undefined || described === columns) return;
  const isSame =
    columns?.length === described.length &&
    described.every(({ name, type }, i) => {
      const now = columns[i] as SqlColumn;
      return now.name === name && now.type.oid === type.oid;
    });
  if (!isSame) throw sqlError('0A000', 'cached plan must not change result type');
}
