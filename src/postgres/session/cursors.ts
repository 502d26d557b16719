/** Cursors: named portals that statements declare, fetch and close. All rows are computed when a cursor is declared. */

import { type SqlColumn, type SqlStatement, sqlError, unsupported } from '#sql';
import type { Call } from './call.ts';
import type { Outcome } from './outcome.ts';
import { Portal } from './portal.ts';
import { nestedIn, type Prepared } from './prepared.ts';
import type { SessionContext } from './session-context.ts';

type Of<K> = Extract<SqlStatement, { kind: K }>;
type Result = Outcome | Promise<Outcome>;

export class Cursors {
  private readonly session: SessionContext;
  private readonly perform: (call: Call) => Result;

  constructor(session: SessionContext, perform: (call: Call) => Result) {
    this.session = session;
    this.perform = perform;
  }

  async declare(
    { name, isHold, isScroll, isBinary, statement }: Of<'declare'>,
    { prepared: outer, values }: Call,
  ): Promise<Outcome> {
    const { session } = this;
    if (isHold) throw unsupported('a cursor WITH HOLD', { hint: 'Fetch its rows before COMMIT.' });
    if (isScroll) throw unsupported('a SCROLL cursor', { hint: 'Declare it with NO SCROLL.' });
    if (session.transactions.state === 'I')
      throw sqlError('25P01', 'DECLARE CURSOR can only be used in transaction blocks');
    const prepared = nestedIn(outer, statement);
    const portal = new Portal(name, prepared, values, [isBinary ? 1 : 0]);
    session.addPortal(portal);
    try {
      portal.outcome = await this.perform({ prepared, values, formats: portal.formats });
    } catch (error) {
      session.closePortal(name);
      throw error;
    }
    return { tag: 'DECLARE CURSOR' };
  }

  fetch({ name, count, isMove }: Of<'fetch'>): Outcome {
    this.session.requireAdmitted();
    const portal = this.session.portalOf(name, 'cursor');
    if (count !== 'all' && count < 0)
      throw sqlError('55000', 'cursor can only scan forward', {
        hint: 'svc has forward cursors only.',
      });
    const from = portal.fetched;
    const to = Math.min(portal.rows, count === 'all' ? portal.rows : from + count);
    portal.fetched = to;
    if (isMove) return { tag: `MOVE ${to - from}` };
    const { result } = portal.outcome ?? {};
    const rows = result?.rows.slice(from, to) ?? [];
    return {
      tag: `FETCH ${rows.length}`,
      result: result && { ...result, rows },
      formats: portal.formats,
    };
  }

  close(name: string | undefined): Outcome {
    if (name === undefined) {
      this.session.closePortals();
      return { tag: 'CLOSE CURSOR ALL' };
    }
    this.session.closePortal(this.session.portalOf(name, 'cursor').name);
    return { tag: 'CLOSE CURSOR' };
  }

  columnsOf(
    name: string,
    describe: (prepared: Prepared) => readonly SqlColumn[] | undefined,
  ): readonly SqlColumn[] | undefined {
    return describe(this.session.portalOf(name, 'cursor').prepared);
  }
}
