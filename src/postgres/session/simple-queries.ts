/** The simple protocol: all statements of one text, as one implicit transaction if there are several. */

import type { PlacedStatement } from '#sql';
import { bareMessage, commandComplete } from '../codec/backend.ts';
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
    const placed = session.environment.language.statements(text);
    const [only] = placed;
    if (only === undefined) bareMessage(session.outlet.writer, 'emptyQuery');
    else if (placed.length === 1) return this.one(text, only);
    else return this.each(text, placed);
    return undefined;
  }

  private async each(text: string, placed: readonly PlacedStatement[]): Promise<void> {
    for (const one of placed) {
      if (!enders.has(one.statement.kind)) this.session.transactions.openImplicit();
      await this.one(text, one);
    }
  }

  private one(text: string, placed: PlacedStatement): Done {
    const prepared = { name: '', text, placed, types: [] };
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
