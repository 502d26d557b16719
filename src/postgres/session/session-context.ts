/** The state of one session that its parts share. */

import type { Principal } from '#access';
import type { Engine, EngineTransaction } from '#engine';
import { fail } from '#failure';
import { type SessionValues, sqlError, type TextSetting } from '#sql';
import { noticeResponse } from '../codec/backend.ts';
import { millisecondsOf } from '../settings/rules.ts';
import type { Settings } from '../settings/settings.ts';
import type { Outlet, SessionEnvironment, SessionIdentity } from './environment.ts';
import type { Portal } from './portal.ts';
import type { Prepared } from './prepared.ts';
import { Transactions } from './transactions.ts';

/** Maximum number of named statements, and of portals. */
const namedMax = 10_000;

export class SessionContext {
  readonly environment: SessionEnvironment;
  readonly identity: SessionIdentity;
  readonly outlet: Outlet;
  readonly settings: Settings;
  readonly transactions: Transactions;
  readonly prepared = new Map<string, Prepared>();
  readonly portals = new Map<string, Portal>();
  /** Ends the running statement; `undefined` between statements. */
  interrupt: ((reason: Error) => void) | undefined;
  private portalsOpened = 0;
  private known: { readonly version: number; readonly setting: TextSetting } | undefined;

  constructor(
    environment: SessionEnvironment,
    identity: SessionIdentity,
    outlet: Outlet,
    settings: Settings,
  ) {
    this.environment = environment;
    this.identity = identity;
    this.outlet = outlet;
    this.settings = settings;
    this.transactions = new Transactions({
      settings,
      open: (isReadOnly) => this.open(isReadOnly),
      now: () => environment.world.clock.unixMs(),
      warn: (sqlstate, message) => this.notice(sqlstate, message),
      ended: () => this.closePortals(),
      portals: () => this.portalsOpened,
      undone: (portals) => this.closePortalsAfter(portals),
    });
  }

  get engine(): Engine {
    const engine = this.environment.engine();
    if (engine !== undefined) return engine;
    throw fail('storage_unavailable', 'the database is not open now; try again later');
  }

  get principal(): Principal {
    return this.identity.principal();
  }

  /** The present settings that text forms of values depend on. */
  get textSetting(): TextSetting {
    const { settings } = this;
    if (this.known?.version !== settings.version) {
      const byteaOutput = settings.get('bytea_output') === 'escape' ? 'escape' : 'hex';
      const setting = { timeZone: settings.get('TimeZone'), byteaOutput } as const;
      this.known = { version: settings.version, setting };
    }
    return this.known.setting;
  }

  /** Deadline of a statement in milliseconds; `undefined` if the session sets none. */
  get deadlineMs(): number | undefined {
    return millisecondsOf(this.settings.get('statement_timeout')) || undefined;
  }

  /** Returns the values of functions such as `now()` for a statement that begins. */
  values(): SessionValues {
    const { identity, transactions, settings, environment } = this;
    const statementMs = environment.world.clock.unixMs();
    return {
      transactionMs: transactions.beganAtMs ?? statementMs,
      statementMs,
      user: identity.user,
      database: identity.database,
      backendPid: identity.pid,
      setting: (name) => settings.find(name),
    };
  }

  /** Sends a warning. */
  notice(sqlstate: string, message: string, severity = 'WARNING'): void {
    noticeResponse(this.outlet.writer, { S: severity, V: severity, C: sqlstate, M: message });
  }

  addPrepared(prepared: Prepared): void {
    if (prepared.name !== '') {
      if (this.prepared.has(prepared.name)) {
        throw sqlError('42P05', `prepared statement "${prepared.name}" already exists`);
      }
      requireRoom(this.prepared.size, 'prepared statements', 'DEALLOCATE');
    }
    this.prepared.set(prepared.name, prepared);
  }

  preparedOf(name: string): Prepared {
    const found = this.prepared.get(name);
    if (found !== undefined) return found;
    const which = name === '' ? 'unnamed prepared statement' : `prepared statement "${name}"`;
    throw sqlError('26000', `${which} does not exist`);
  }

  addPortal(portal: Portal): void {
    if (portal.name === '') this.portals.get('')?.close();
    else {
      if (this.portals.has(portal.name)) {
        throw sqlError('42P03', `cursor "${portal.name}" already exists`);
      }
      requireRoom(this.portals.size, 'portals', 'CLOSE');
    }
    portal.number = ++this.portalsOpened;
    this.portals.set(portal.name, portal);
  }

  portalOf(name: string, what: 'portal' | 'cursor' = 'portal'): Portal {
    const found = this.portals.get(name);
    if (found !== undefined) return found;
    throw sqlError('34000', `${what} "${name}" does not exist`);
  }

  closePortal(name: string): void {
    this.portals.get(name)?.close();
    this.portals.delete(name);
  }

  closePortals(): void {
    for (const portal of this.portals.values()) portal.close();
    this.portals.clear();
  }

  private closePortalsAfter(number: number): void {
    for (const portal of this.portals.values())
      if (portal.number > number) this.closePortal(portal.name);
  }

  /** Throws if the credential of the client is no longer valid. Rows that were computed before are also refused then. */
  requireAdmitted(): void {
    void this.principal;
  }

  /** Ends everything that the session holds. */
  close(): void {
    this.transactions.abandon();
    this.closePortals();
    this.prepared.clear();
  }

  private open(isReadOnly: boolean): EngineTransaction {
    const { signal } = this.outlet;
    const transaction = this.engine.begin({ isReadOnly, signal, principal: this.principal });
    void transaction.ended.then((ending) => {
      const limit = endings[ending];
      if (limit !== undefined) this.outlet.terminate(...limit);
    });
    return transaction;
  }
}

/** The endings of a transaction that also end its connection. */
const endings: Readonly<Record<string, readonly [sqlstate: string, message: string]>> = {
  idle: ['25P03', 'terminating connection due to idle-in-transaction timeout'],
  expired: ['25P04', 'terminating connection due to transaction timeout'],
  stopped: ['57P01', 'terminating connection due to administrator command'],
};

function requireRoom(count: number, what: string, remedy: string): void {
  if (count < namedMax) return;
  throw sqlError('53400', `a session has at most ${namedMax} ${what}; ${remedy} some`);
}
