/** The extended protocol: statements are parsed, bound, described and executed by separate messages. */

import { readText, type SqlType, type SqlValue, sqlError, typeByOid } from '#sql';
import { bareMessage, commandComplete, parameterDescription } from '../codec/backend.ts';
import { utf8Of } from '../codec/body-reader.ts';
import type {
  BindMessage,
  ExecuteMessage,
  ParseMessage,
  TargetMessage,
} from '../codec/frontend.ts';
import { readBinary } from '../format/read-binary.ts';
import { formatsOf } from '../format/write-row.ts';
import { recognized } from '../run/statements.ts';
import type { Commands } from './commands.ts';
import type { Outcome } from './outcome.ts';
import { Portal } from './portal.ts';
import type { Prepared } from './prepared.ts';
import type { SessionContext } from './session-context.ts';
import { columnFormats, describeRows, writeRows } from './write-result.ts';

export class ExtendedQueries {
  private readonly session: SessionContext;
  private readonly commands: Commands;

  constructor(session: SessionContext, commands: Commands) {
    this.session = session;
    this.commands = commands;
  }

  parse({ name, text, types: oids }: ParseMessage): void {
    const { session, commands } = this;
    const { statements, language } = session.environment;
    const found = recognized(statements, language, text);
    if (found.length > 1)
      throw sqlError('42601', 'cannot insert multiple commands into a prepared statement');
    const [statement] = found;
    const types = oids.map((oid) => this.typeOf(oid));
    const prepared = { name, text, statement, types };
    commands.requireUsable(prepared);
    commands.parametersOf(prepared);
    session.addPrepared(prepared);
    bareMessage(session.outlet.writer, 'parseComplete');
  }

  bind({ portal: name, statement, parameterFormats, values, resultFormats }: BindMessage): void {
    const { session, commands } = this;
    const prepared = session.preparedOf(statement);
    commands.requireUsable(prepared);
    const types = commands.parametersOf(prepared);
    if (values.length !== types.length) {
      const which = `bind message supplies ${values.length} parameters`;
      const message = `${which}, but prepared statement "${statement}" requires ${types.length}`;
      throw sqlError('08P01', message);
    }
    const formats = formatsOf(parameterFormats, values.length);
    if (formats === undefined) {
      const message = `bind message has ${parameterFormats.length} parameter formats but ${values.length} parameters`;
      throw sqlError('08P01', message);
    }
    const read = values.map((value, i) =>
      this.readValue(types[i] as SqlType, value, formats[i] === 1),
    );
    session.addPortal(new Portal(name, prepared, read, resultFormats));
    bareMessage(session.outlet.writer, 'bindComplete');
  }

  describe({ of, name }: TargetMessage): void {
    if (of === 'statement') this.describeStatement(this.session.preparedOf(name));
    else this.describePortal(this.session.portalOf(name));
  }

  /** `isLast` means that Sync follows, so that the statement can be a whole transaction. */
  execute({ portal: name, rowsMax }: ExecuteMessage, isLast: boolean): void | Promise<void> {
    const { session, commands } = this;
    const portal = session.portalOf(name);
    const { prepared, values, formats, outcome } = portal;
    const { statement } = prepared;
    if (statement === undefined) return bareMessage(session.outlet.writer, 'emptyQuery');
    if (outcome !== undefined) return this.resume(portal, outcome, rowsMax);
    if (statement.kind === 'program' && !isLast) session.transactions.openImplicit();
    const performed = commands.perform({ prepared, values, formats });
    const write = (made: Outcome) => {
      portal.outcome = made;
      return this.write(portal, made, rowsMax);
    };
    return performed instanceof Promise ? performed.then(write) : write(performed);
  }

  close({ of, name }: TargetMessage): void {
    if (of === 'statement') this.session.prepared.delete(name);
    else this.session.closePortal(name);
    bareMessage(this.session.outlet.writer, 'closeComplete');
  }

  private describeStatement(prepared: Prepared): void {
    const { commands, session } = this;
    const { writer } = session.outlet;
    const parameters = commands.parametersOf(prepared);
    const columns = commands.columnsOf(prepared);
    prepared.described = columns;
    parameterDescription(
      writer,
      parameters.map(({ oid }) => oid),
    );
    if (columns === undefined) bareMessage(writer, 'noData');
    else describeRows(writer, columns, []);
  }

  private describePortal({ prepared, formats }: Portal): void {
    const columns = this.commands.columnsOf(prepared);
    const { writer } = this.session.outlet;
    prepared.described = columns;
    if (columns === undefined) bareMessage(writer, 'noData');
    else describeRows(writer, columns, columnFormats(columns, formats));
  }

  /** Continues a portal that has run. A portal without rows cannot be executed again. */
  private resume(portal: Portal, outcome: Outcome, rowsMax: number): void | Promise<void> {
    this.session.requireAdmitted();
    if (outcome.result === undefined)
      throw sqlError('55000', `portal "${portal.name}" cannot be run`);
    return this.write(portal, outcome, rowsMax);
  }

  /** Writes the next rows of a portal. `rowsMax` is 0 for all of them. */
  private write(portal: Portal, outcome: Outcome, rowsMax: number): void | Promise<void> {
    const { result, tag, isRowCount } = outcome;
    const { outlet } = this.session;
    if (result === undefined) {
      commandComplete(outlet.writer, tag);
      return undefined;
    }
    const from = portal.fetched;
    const to = rowsMax === 0 ? portal.rows : Math.min(portal.rows, from + rowsMax);
    const end = () => {
      portal.fetched = to;
      // PostgreSQL also suspends a portal whose last row was the last of the limit.
      if (rowsMax > 0 && to - from === rowsMax)
        return bareMessage(outlet.writer, 'portalSuspended');
      commandComplete(outlet.writer, isRowCount === true ? `${tag} ${to - from}` : tag);
    };
    const formats = columnFormats(result.columns, portal.formats);
    const wait = writeRows(this.session, result, formats, from, to);
    return wait === undefined ? end() : wait.then(end);
  }

  private typeOf(oid: number): SqlType | undefined {
    if (oid === 0 || oid === unknownOid) return undefined;
    const type = typeByOid(oid);
    if (type !== undefined) return type;
    throw sqlError('42704', `there is no type with the OID ${oid}`);
  }

  private readValue(type: SqlType, value: Uint8Array | null, isBinary: boolean): SqlValue {
    if (value === null) return null;
    return isBinary
      ? readBinary(type, value)
      : readText(type, utf8Of(value), this.session.textSetting);
  }
}

const unknownOid = 705;
