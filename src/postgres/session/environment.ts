/** The parts of a server that its sessions share, and the facts about one connection. */

import type { Principal } from '#access';
import type { World } from '#base';
import type { Engine } from '#engine';
import type { ProgramMeter } from '#observe';
import type { MessageWriter } from '../codec/message-writer.ts';
import type { SqlLanguage } from '../run/language.ts';
import type { Statements } from '../run/statements.ts';
import type { Views } from '../run/views.ts';

export interface SessionEnvironment {
  /** Returns the open database, `undefined` while there is none. */
  engine(): Engine | undefined;
  readonly language: SqlLanguage;
  readonly statements: Statements;
  readonly views: Views;
  readonly world: World;
  /** Counts the statements that are programs; `undefined` without metrics. */
  readonly programs?: ProgramMeter | undefined;
  /** Records a defect. Returns the incident that the client learns. */
  defect(error: unknown): string;
}

export interface SessionIdentity {
  readonly user: string;
  readonly database: string;
  readonly pid: number;
  /** Returns the principal. Throws if its credential is no longer valid. */
  principal(): Principal;
}

/** The side of a session towards its client. */
export interface Outlet {
  readonly writer: MessageWriter;
  /** Sends what is gathered, at the end of the current messages. */
  flush(): void;
  /** Sends what is gathered. Returns a wait while the client is far behind. */
  send(): Promise<void> | undefined;
  /** Aborts when the connection is closed. */
  readonly signal: AbortSignal;
  /** Ends the connection with an error. */
  terminate(sqlstate: string, message: string): void;
}
