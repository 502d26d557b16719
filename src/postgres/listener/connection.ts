/** One connection: its startup, the order of its messages, and its end. */

import type { Timer } from '#base';
import {
  authenticationCleartext,
  authenticationOk,
  backendKey,
  errorResponse,
  negotiateVersion,
} from '../codec/backend.ts';
import { BodyReader } from '../codec/body-reader.ts';
import { type Frame, FrameReader } from '../codec/frame-reader.ts';
import { frontendMessage } from '../codec/frontend.ts';
import { ProtocolError } from '../codec/protocol-error.ts';
import { type StartupMessage, startupMessage } from '../codec/startup.ts';
import type { Outlet, SessionEnvironment } from '../session/environment.ts';
import { Session } from '../session/session.ts';
import { fieldsOf, reportOf } from '../sqlstate/error-report.ts';
import { type Admitted, openClient, type TokenCheck, tokenClient } from './authentication.ts';
import type { ConnectionKeys } from './connections.ts';
import { Output, type Wire } from './output.ts';
import { startupSettings } from './startup-settings.ts';

/** Time for the startup and the authentication. */
const startupMs = 10_000;
const startupBytesMax = 10_000;
/** Bytes of messages that wait for a running statement, above which nothing more is read. */
const readAheadBytes = 256 << 10;

export interface ConnectionParts {
  readonly environment: SessionEnvironment;
  /** Checks tokens. If absent, clients need no credential. */
  readonly tokens: TokenCheck | undefined;
  readonly keys: ConnectionKeys<Connection>;
  readonly messageBytesMax: number;
  readonly sendTimeoutMs: number;
  readonly isReader: boolean;
  /** Whether the maximum number of connections is reached. */
  isFull(): boolean;
  /** Returns the reason for which no session can begin now. */
  refusal(): { readonly sqlstate: string; readonly message: string } | undefined;
  started(connection: Connection): void;
  failed(connection: Connection, sqlstate: string): void;
}

type Phase = 'startup' | 'password' | 'session' | 'closed';

export class Connection implements Outlet {
  private readonly parts: ConnectionParts;
  private readonly wire: Wire;
  private readonly frames: FrameReader;
  private readonly output: Output;
  private readonly gone = new AbortController();
  private phase: Phase = 'startup';
  private parameters: ReadonlyMap<string, string> = new Map();
  private session: Session | undefined;
  private pid: number | undefined;
  /** Whether a message is being taken. Later ones wait. */
  private isBusy = false;
  private isPaused = false;
  private isDraining = false;
  private timer: Timer | undefined;

  constructor(wire: Wire, parts: ConnectionParts) {
    this.wire = wire;
    this.parts = parts;
    const { world } = parts.environment;
    this.frames = new FrameReader({ messageBytesMax: parts.messageBytesMax, startupBytesMax });
    this.output = new Output({
      wire,
      scheduler: world.scheduler,
      sendTimeoutMs: parts.sendTimeoutMs,
      late: () => this.cut(),
    });
    this.timer = world.scheduler.after(startupMs, () => this.cut());
  }

  get writer() {
    return this.output.writer;
  }

  get signal(): AbortSignal {
    return this.gone.signal;
  }

  /** Whether a statement runs. */
  get isActive(): boolean {
    return this.isBusy;
  }

  get address(): string {
    return this.wire.remoteAddress;
  }

  /** Requests that the gathered replies are sent, which follows the last received message. */
  flush(): void {}

  send(): Promise<void> | undefined {
    return this.output.send();
  }

  /** Takes received bytes. */
  received(chunk: Uint8Array): void {
    if (this.phase === 'closed') return;
    this.frames.push(chunk);
    if (!this.isBusy) this.pump();
    else if (!this.isPaused && this.frames.pendingBytes > readAheadBytes) {
      this.isPaused = true;
      this.wire.pause();
    }
  }

  drained(): void {
    this.output.drained();
  }

  cancel(): void {
    this.session?.cancel();
  }

  /** Ends the connection, if necessary after its transaction. */
  drain(): void {
    this.isDraining = true;
    if (!this.isBusy) this.endIfIdle();
  }

  /** Ends the connection with an error. */
  terminate(sqlstate: string, message: string): void {
    if (this.phase === 'closed') return;
    if (this.phase !== 'session') this.parts.failed(this, sqlstate);
    const report = { sqlstate, message, isFatal: true };
    errorResponse(this.writer, fieldsOf(report, 'FATAL', undefined));
    this.output.end();
    this.release();
  }

  /** Ends the connection without a message. */
  cut(): void {
    this.wire.terminate();
    this.closed();
  }

  /** Releases everything after the socket was closed. */
  closed(): void {
    this.release();
    this.output.close();
  }

  private release(): void {
    if (this.phase === 'closed') return;
    this.phase = 'closed';
    this.stopTimer();
    if (this.pid !== undefined) this.parts.keys.remove(this.pid);
    this.gone.abort();
    this.session?.close();
    this.session = undefined;
  }

  /** Takes the received messages until one of them waits. */
  private pump(): void {
    try {
      while (this.phase !== 'closed') {
        const frame = this.frames.next();
        if (frame === undefined) break;
        const taken = this.take(frame);
        if (taken === undefined) continue;
        this.wait(taken);
        return;
      }
    } catch (error) {
      this.fatal(error);
    }
    if (this.phase === 'closed') return;
    this.endIfIdle();
    void this.output.send();
    this.resume();
  }

  private wait(taken: Promise<void>): void {
    this.isBusy = true;
    void this.output.send();
    void taken
      .catch((error) => this.fatal(error))
      .finally(() => {
        this.isBusy = false;
        this.pump();
      });
  }

  private resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.wire.resume();
  }

  private endIfIdle(): void {
    if (!this.isDraining || this.session?.isInBlock === true) return;
    this.terminate('57P01', 'terminating connection due to administrator command');
  }

  private take(frame: Frame): Promise<void> | undefined {
    switch (this.phase) {
      case 'startup':
        return this.begin(startupMessage(frame.body));
      case 'password':
        return this.takePassword(frame);
      default: {
        const message = frontendMessage(frame);
        if (message.kind === 'terminate') {
          this.output.end();
          this.release();
          return undefined;
        }
        const taken = this.session?.take(message, this.frames.peekType());
        return taken instanceof Promise ? taken : undefined;
      }
    }
  }

  private begin(message: StartupMessage): Promise<void> | undefined {
    switch (message.kind) {
      case 'encryption':
        return this.refuseEncryption();
      case 'cancel':
        this.parts.keys.cancel(message.pid, message.secret);
        this.output.end();
        this.release();
        return undefined;
      case 'startup':
        return this.start(message);
    }
  }

  /** Bytes in the same read as the request would be taken as encrypted by a client that believes so. */
  private refuseEncryption(): undefined {
    if (this.frames.pendingBytes > 0) {
      this.cut();
      return undefined;
    }
    this.writer.byte('N'.charCodeAt(0));
    void this.output.send();
    return undefined;
  }

  private start(message: Extract<StartupMessage, { kind: 'startup' }>): Promise<void> | undefined {
    const { parts, writer } = this;
    const { parameters, minor, unknownOptions } = message;
    this.frames.started();
    this.parameters = parameters;
    if (minor > 0 || unknownOptions.length > 0) negotiateVersion(writer, unknownOptions);
    if (parts.isFull()) return this.refused('53300', 'sorry, too many clients already');
    const refusal = parts.refusal();
    if (refusal !== undefined) return this.refused(refusal.sqlstate, refusal.message);
    if (!parameters.has('user'))
      return this.refused('28000', 'no PostgreSQL user name specified in startup packet');
    if (parameters.get('replication') !== undefined)
      return this.refused('0A000', 'replication connections are not supported');
    if (parts.tokens === undefined) {
      this.open(openClient(this.address));
      return undefined;
    }
    this.phase = 'password';
    authenticationCleartext(writer);
    return undefined;
  }

  private refused(sqlstate: string, message: string): undefined {
    this.terminate(sqlstate, message);
    return undefined;
  }

  private async takePassword({ type, body }: Frame): Promise<void> {
    const { tokens, environment } = this.parts;
    if (type !== passwordType) throw new ProtocolError('expected a password message');
    const reader = new BodyReader(body);
    const token = reader.text();
    reader.done();
    const user = this.parameters.get('user') ?? '';
    try {
      const { clock } = environment.world;
      const admitted = await tokenClient(tokens as TokenCheck, token, this.address, clock);
      if (this.phase === 'password') this.open(admitted);
    } catch (error) {
      const { sqlstate } = reportOf(error);
      const isWrong = sqlstate === '28000';
      const message = isWrong
        ? `password authentication failed for user "${user}"; the password must be an API key or an access token`
        : 'authentication is not possible now; try again later';
      this.terminate(isWrong ? '28P01' : sqlstate, message);
    }
  }

  private open({ principal }: Admitted): void {
    const { parts, writer, parameters } = this;
    try {
      const user = parameters.get('user') as string;
      const given = startupSettings(parameters, parts.isReader);
      const { pid, secret } = parts.keys.add(this);
      this.pid = pid;
      const database = parameters.get('database') || user;
      const identity = { user, database, pid, principal };
      const session = new Session(parts.environment, identity, this, given);
      authenticationOk(writer);
      backendKey(writer, pid, secret);
      this.session = session;
      this.phase = 'session';
      this.stopTimer();
      session.ready();
      parts.started(this);
    } catch (error) {
      this.fatal(error);
    }
  }

  /** Ends the connection because of an error that leaves no session to report it. */
  private fatal(error: unknown): void {
    const { sqlstate, message, defect } = reportOf(error);
    const incident =
      defect === undefined ? '' : ` (incident ${this.parts.environment.defect(defect)})`;
    this.terminate(sqlstate, `${message}${incident}`);
  }

  private stopTimer(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}

const passwordType = 0x70;
