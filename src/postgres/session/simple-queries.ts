/** The simple protocol: all statements of one text, as one implicit transaction if there are several. */

import type { RecognizedStatement } from '#sql';
import { bareMessage, commandComplete } from '../codec/backend.ts';
import { recognized } from '../run/statements.ts';
import type { Commands } from './commands.ts';
import type { Outcome } from './outcome.ts';
import type { SessionContext } from './session-context.ts';
import { columnFormats, describeRows, writeRows } from './write-result.ts';

type Done = void | Promise<void>;

/** Statements that begin or end a transaction themselves. */
const enders: ReadonlySet<string> = new Set(['begin', 'commit', 'rollback']);

export class SimpleQueries {
  private readonly session: SessionContext;
  private readonly commands: Commands;

  constructor(session: SessionContext, commands: Commands) {
    this.session = session;
    this.commands = commands;
  }

  run(text: string): Done {
    const { session } = this;
    session.prepared.delete('');
    const { statements, language } = session.environment;
    const found = recognized(statements, language, text);
    const [only] = found;
    if (only === undefined) bareMessage(session.outlet.writer, 'emptyQuery');
    else if (found.length === 1) return this.one(text, only);
    else return this.each(text, found);
    return undefined;
  }

  private async each(text: string, found: readonly RecognizedStatement[]): Promise<void> {
    for (const one of found) {
      if (one.kind === 'program' || !enders.has(one.statement.kind))
        this.session.transactions.openImplicit();
      await this.one(text, one);
    }
  }

  private one(text: string, statement: RecognizedStatement): Done {
    const prepared = { name: '', text, statement, types: [] };
    const outcome = this.commands.perform({ prepared, values: [], formats: [] });
    if (outcome instanceof Promise) return outcome.then((it) => this.write(it));
    return this.write(outcome);
  }

  private write(outcome: Outcome): Done {
    const { result, formats: given = [], held } = outcome;
    const { writer } = this.session.outlet;
    if (result === undefined) {
      commandComplete(writer, outcome.tag);
      held?.close();
      return undefined;
    }
    try {
      const formats = columnFormats(result.columns, given);
      describeRows(writer, result.columns, formats);
      const { length } = result.rows;
      const wait = writeRows(this.session, result, formats, 0, length);
      if (wait !== undefined)
        return wait.then(() => this.end(outcome)).finally(() => held?.close());
      this.end(outcome);
    } catch (error) {
      held?.close();
      throw error;
    }
    held?.close();
    return undefined;
  }

  private end({ tag, isRowCount, result }: Outcome): void {
    const rows = result?.rows.length ?? 0;
    commandComplete(this.session.outlet.writer, isRowCount === true ? `${tag} ${rows}` : tag);
  }
}
