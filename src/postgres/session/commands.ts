/** Performs the statements that are not programs: transactions, settings, prepared statements, cursors and EXPLAIN. */

import { type SqlColumn, type SqlStatement, type SqlType, sqlError, sqlTypes } from '#sql';
import type { Call } from './call.ts';
import { Cursors } from './cursors.ts';
import { executeArguments } from './execute-arguments.ts';
import { explain } from './explain.ts';
import { type Outcome, textColumns, textResult } from './outcome.ts';
import { nestedIn, type Prepared } from './prepared.ts';
import { type Programs, requireSameShape } from './programs.ts';
import type { SessionContext } from './session-context.ts';

type Kind = SqlStatement['kind'];
type Of<K extends Kind> = Extract<SqlStatement, { kind: K }>;
type Result = Outcome | Promise<Outcome>;

export class Commands {
  private readonly session: SessionContext;
  private readonly programs: Programs;
  private readonly cursors: Cursors;

  constructor(session: SessionContext, programs: Programs) {
    this.session = session;
    this.programs = programs;
    this.cursors = new Cursors(session, (call) => this.perform(call));
  }

  /** Performs one statement. Throws `25P02` in a failed transaction, unless the statement ends it. */
  perform(call: Call): Result {
    const { prepared } = call;
    const { statement, described } = prepared;
    if (statement === undefined) return { tag: '' };
    this.requireUsable(prepared);
    if (statement.kind === 'command') return this.command(statement.statement, call);
    if (described !== undefined) {
      const { columns } = this.programs.compile(prepared).statement.compiled;
      requireSameShape(described, columns);
    }
    return this.programs.run(prepared, call.values, call.formats);
  }

  /** Throws `25P02` if the transaction has failed and the statement does not end it. */
  requireUsable({ statement }: Prepared): void {
    if (statement === undefined || !this.session.transactions.isFailed) return;
    if (statement.kind === 'command' && enders.has(statement.statement.kind)) return;
    throw sqlError(
      '25P02',
      'current transaction is aborted, commands ignored until end of transaction block',
    );
  }

  /** Returns the columns of the result, `undefined` without rows. */
  columnsOf(prepared: Prepared): readonly SqlColumn[] | undefined {
    const { statement: recognized } = prepared;
    if (recognized === undefined) return undefined;
    if (recognized.kind !== 'command')
      return this.programs.compile(prepared).statement.compiled.columns;
    const { statement } = recognized;
    switch (statement.kind) {
      case 'execute':
        return this.columnsOf(this.session.preparedOf(statement.name));
      case 'fetch':
        return statement.isMove
          ? undefined
          : this.cursors.columnsOf(statement.name, (of) => this.columnsOf(of));
      case 'show':
        return textColumns(this.shownNames(statement));
      case 'explain':
        return textColumns(['QUERY PLAN']);
      default:
        return undefined;
    }
  }

  /** Returns the types of the parameters. */
  parametersOf(prepared: Prepared): readonly SqlType[] {
    const { statement, types } = prepared;
    if (statement === undefined) return [];
    if (statement.kind !== 'command')
      return this.programs.compile(prepared).statement.compiled.parameters;
    return Array.from({ length: statement.parametersMax }, (_, i) => types[i] ?? sqlTypes.text);
  }

  private command(statement: Exclude<SqlStatement, Of<'program'>>, call: Call): Result {
    const perform = this.table[statement.kind] as (one: SqlStatement, call: Call) => Result;
    return perform(statement, call);
  }

  private readonly table: {
    readonly [K in Exclude<Kind, 'program'>]: (statement: Of<K>, call: Call) => Result;
  } = {
    begin: ({ modes }) => {
      this.session.transactions.begin(modes);
      return { tag: 'BEGIN' };
    },
    commit: async ({ chains }) => ({ tag: await this.session.transactions.commit(chains) }),
    rollback: ({ chains }) => ({ tag: this.session.transactions.rollback(chains) }),
    savepoint: ({ name }) => {
      this.session.transactions.savepoint(name);
      return { tag: 'SAVEPOINT' };
    },
    release: ({ name }) => {
      this.session.transactions.release(name);
      return { tag: 'RELEASE' };
    },
    rollback_to: async ({ name }) => {
      await this.session.transactions.rollbackTo(name);
      return { tag: 'ROLLBACK' };
    },
    set: (statement) => this.set(statement),
    set_modes: (statement) => this.setModes(statement),
    reset: ({ name }) => {
      this.session.settings.reset(name);
      return { tag: 'RESET' };
    },
    show: (statement) => this.show(statement),
    discard: ({ what }) => this.discard(what),
    prepare: (statement, { prepared }) => this.prepare(statement, prepared),
    execute: (statement, call) => this.execute(statement, call),
    deallocate: ({ name }) => this.deallocate(name),
    close: ({ name }) => this.cursors.close(name),
    declare: (statement, call) => this.cursors.declare(statement, call),
    fetch: (statement) => this.cursors.fetch(statement),
    explain: (statement, { prepared }) => explain(this.session, this.programs, statement, prepared),
    notice: ({ tag, message }) => {
      this.session.notice('01000', message, 'NOTICE');
      return { tag };
    },
  };

  private set({ name, values, isLocal }: Of<'set'>): Outcome {
    const { settings, transactions } = this.session;
    const isInBlock = transactions.state !== 'I';
    if (isLocal && !isInBlock) {
      this.session.notice('25P01', 'SET LOCAL can only be used in transaction blocks');
      return { tag: 'SET' };
    }
    const value = values === undefined ? undefined : listText(name, values);
    settings.set(name, value, isLocal);
    if (name.toLowerCase() === 'transaction_read_only')
      transactions.setModes({ isReadOnly: settings.get(name) === 'on' });
    return { tag: 'SET' };
  }

  private setModes({ scope, modes }: Of<'set_modes'>): Outcome {
    const { settings, transactions } = this.session;
    if (scope === 'session') {
      if (modes.isReadOnly !== undefined)
        settings.set('default_transaction_read_only', modes.isReadOnly ? 'on' : 'off', false);
    } else if (transactions.state === 'I') {
      this.session.notice('25P01', 'SET TRANSACTION can only be used in transaction blocks');
    } else transactions.setModes(modes);
    return { tag: 'SET' };
  }

  private shownNames({ name }: Of<'show' | 'reset'>): readonly string[] {
    if (name.toLowerCase() === 'all') return ['name', 'setting', 'description'];
    return [this.session.settings.nameOf(name)];
  }

  private show(statement: Of<'show' | 'reset'>): Outcome {
    const { settings, transactions } = this.session;
    const names = this.shownNames(statement);
    const value = (name: string) =>
      name === 'transaction_read_only'
        ? transactions.isReadOnly
          ? 'on'
          : 'off'
        : settings.get(name);
    const rows =
      names.length === 1
        ? [[value(names[0] as string)]]
        : settings.all().map(([name]) => [name, settings.find(name) ?? '', '']);
    return { tag: 'SHOW', result: textResult(names, rows) };
  }

  private discard(what: Of<'discard'>['what']): Outcome {
    const { session } = this;
    if (what === 'all') {
      if (session.transactions.state !== 'I')
        throw sqlError('25001', 'DISCARD ALL cannot run inside a transaction block');
      session.closePortals();
      session.prepared.clear();
      session.settings.reset('all');
    }
    return { tag: `DISCARD ${what.toUpperCase()}` };
  }

  private prepare(statement: Of<'prepare'>, outer: Prepared): Outcome {
    const { name, types } = statement;
    const prepared = { ...nestedIn(outer, statement.statement), name, types };
    this.columnsOf(prepared);
    this.session.addPrepared(prepared);
    return { tag: 'PREPARE' };
  }

  private async execute(
    statement: Of<'execute'>,
    { prepared: outer, formats }: Call,
  ): Promise<Outcome> {
    const prepared = this.session.preparedOf(statement.name);
    const types = this.parametersOf(prepared);
    const values = await executeArguments(this.session, this.programs, statement, types, outer);
    return this.perform({ prepared, values, formats });
  }

  private deallocate(name: string | undefined): Outcome {
    if (name === undefined) {
      this.session.prepared.clear();
      return { tag: 'DEALLOCATE ALL' };
    }
    this.session.prepared.delete(this.session.preparedOf(name).name);
    return { tag: 'DEALLOCATE' };
  }
}

/** Statements that are possible in a failed transaction. */
const enders: ReadonlySet<Kind> = new Set<Kind>(['commit', 'rollback', 'rollback_to']);

/** Returns the value of a setting as one text. The names of a search path are quoted where it is necessary. */
function listText(name: string, values: readonly string[]): string {
  if (name.toLowerCase() !== 'search_path') return values.join(', ');
  return values.map(quotedName).join(', ');
}

function quotedName(name: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
