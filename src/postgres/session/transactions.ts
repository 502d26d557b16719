/** The transaction of a session: begin, savepoints and end, with the settings that are undone with it. */

import type { EngineTransaction } from '#engine';
import { fail } from '#failure';
import { sqlError, type TransactionModes } from '#sql';
import type { ReadyState } from '../codec/backend.ts';
import type { SettingState, Settings } from '../settings/settings.ts';

interface Savepoint {
  readonly name: string;
  readonly mark: number;
  readonly settings: SettingState;
  /** The number of portals that were opened before. */
  readonly portals: number;
}

/** An open transaction. An implicit one ends with its message, or at Sync. */
interface Block {
  isImplicit: boolean;
  isFailed: boolean;
  isReadOnly: boolean;
  /** Whether a statement has run, after which the modes are fixed. */
  hasRun: boolean;
  transaction: EngineTransaction;
  readonly beganAtMs: number;
  readonly settings: SettingState;
  savepoints: Savepoint[];
}

interface TransactionParts {
  readonly settings: Settings;
  open(isReadOnly: boolean): EngineTransaction;
  /** Returns the time in Unix milliseconds. */
  now(): number;
  warn(sqlstate: string, message: string): void;
  /** Called when a transaction has ended. Its portals end with it. */
  ended(): void;
  /** Returns the number of portals that were ever opened. */
  portals(): number;
  /** Called when everything since a savepoint was undone. Later portals end, because their rows may be undone. */
  undone(portals: number): void;
}

export class Transactions {
  private readonly parts: TransactionParts;
  private block: Block | undefined;

  constructor(parts: TransactionParts) {
    this.parts = parts;
  }

  get state(): ReadyState {
    const { block } = this;
    if (block === undefined || block.isImplicit) return 'I';
    return block.isFailed ? 'E' : 'T';
  }

  get isOpen(): boolean {
    return this.block !== undefined;
  }

  /** Whether statements are refused until the transaction ends. */
  get isFailed(): boolean {
    return this.block?.isFailed === true;
  }

  /** Whether the transaction, or the next one, is read-only. */
  get isReadOnly(): boolean {
    const { block, parts } = this;
    return block?.isReadOnly ?? parts.settings.get('default_transaction_read_only') === 'on';
  }

  /** The time that `now()` returns, `undefined` outside of a transaction. */
  get beganAtMs(): number | undefined {
    return this.block?.beganAtMs;
  }

  get transaction(): EngineTransaction | undefined {
    return this.block?.transaction;
  }

  /** Returns the transaction for a statement, after which its modes are fixed. */
  use(): EngineTransaction | undefined {
    const { block } = this;
    if (block === undefined) return undefined;
    block.hasRun = true;
    return block.transaction;
  }

  openImplicit(): void {
    this.block ??= this.made(true, {});
  }

  begin(modes: TransactionModes): void {
    const { block } = this;
    if (block?.isImplicit === false) {
      this.parts.warn('25001', 'there is already a transaction in progress');
      this.setModes(modes);
      return;
    }
    if (block !== undefined) block.isImplicit = false;
    else this.block = this.made(false, modes);
    if (block !== undefined) this.setModes(modes);
  }

  /** Changes the modes of the transaction. */
  setModes({ isReadOnly }: TransactionModes): void {
    const { block } = this;
    if (block === undefined || isReadOnly === undefined || isReadOnly === block.isReadOnly) return;
    if (block.hasRun || block.savepoints.length > 0) {
      if (isReadOnly) throw sqlError('0A000', readOnlyTooLate);
      throw sqlError('25001', 'transaction read-write mode must be set before any query');
    }
    block.transaction.rollback();
    block.transaction = this.parts.open(isReadOnly);
    block.isReadOnly = isReadOnly;
  }

  /** Commits, or rolls a failed transaction back. Returns the tag. */
  async commit(chains: boolean): Promise<string> {
    const { block } = this;
    if (block === undefined || (block.isImplicit && chains))
      return this.withoutBlock('COMMIT', chains);
    if (block.isImplicit) this.warnOfNone();
    if (block.isFailed) return this.rollback(chains);
    await this.conclude(block);
    if (chains) this.block = this.made(false, { isReadOnly: block.isReadOnly });
    return 'COMMIT';
  }

  rollback(chains: boolean): string {
    const { block } = this;
    if (block === undefined || (block.isImplicit && chains))
      return this.withoutBlock('ROLLBACK', chains);
    if (block.isImplicit) this.warnOfNone();
    this.abandon();
    if (chains) this.block = this.made(false, { isReadOnly: block.isReadOnly });
    return 'ROLLBACK';
  }

  /** Ends an implicit transaction at the end of its messages. Throws if it cannot be committed. */
  endImplicit(): Promise<void> | undefined {
    const { block } = this;
    if (block?.isImplicit !== true) return undefined;
    if (!block.isFailed) return this.conclude(block);
    this.abandon();
    return undefined;
  }

  /** Rolls back without a message, because the connection has ended or the transaction is implicit. */
  abandon(): void {
    const { block } = this;
    if (block === undefined) return;
    this.block = undefined;
    block.transaction.rollback();
    this.left(block, false);
  }

  /** Records that a statement has failed. */
  fail(): void {
    if (this.block !== undefined) this.block.isFailed = true;
  }

  savepoint(name: string): void {
    const block = this.explicit('SAVEPOINT');
    const mark = block.transaction.mark();
    const { settings, portals } = this.parts;
    block.savepoints.push({ name, mark, settings: settings.state, portals: portals() });
  }

  release(name: string): void {
    const block = this.explicit('RELEASE SAVEPOINT');
    const at = indexOf(block, name);
    block.transaction.release((block.savepoints[at] as Savepoint).mark);
    block.savepoints.length = at;
  }

  async rollbackTo(name: string): Promise<void> {
    const block = this.explicit('ROLLBACK TO SAVEPOINT');
    const at = indexOf(block, name);
    const { mark, settings, portals } = block.savepoints[at] as Savepoint;
    await block.transaction.undo(mark);
    block.savepoints.length = at + 1;
    block.isFailed = false;
    this.parts.settings.restore(settings);
    this.parts.undone(portals);
  }

  private async conclude(block: Block): Promise<void> {
    this.block = undefined;
    let isCommitted = false;
    try {
      isCommitted = (await block.transaction.commit()) === 'committed';
    } finally {
      this.left(block, isCommitted);
    }
    if (!isCommitted) throw lostRace();
  }

  private withoutBlock(tag: string, chains: boolean): string {
    if (chains) throw sqlError('25P01', `${tag} AND CHAIN can only be used in transaction blocks`);
    this.warnOfNone();
    return tag;
  }

  private warnOfNone(): void {
    this.parts.warn('25P01', 'there is no transaction in progress');
  }

  private explicit(what: string): Block {
    const { block } = this;
    if (block !== undefined && !block.isImplicit) return block;
    throw sqlError('25P01', `${what} can only be used in transaction blocks`);
  }

  private made(isImplicit: boolean, modes: TransactionModes): Block {
    const { settings, now } = this.parts;
    const isReadOnly = modes.isReadOnly ?? settings.get('default_transaction_read_only') === 'on';
    return {
      isImplicit,
      isFailed: false,
      isReadOnly,
      hasRun: false,
      transaction: this.parts.open(isReadOnly),
      beganAtMs: now(),
      settings: settings.state,
      savepoints: [],
    };
  }

  private left({ settings: before }: Block, isCommitted: boolean): void {
    const { settings } = this.parts;
    if (!isCommitted) settings.restore(before);
    settings.endLocal();
    this.parts.ended();
  }
}

const readOnlyTooLate =
  'a transaction cannot become read-only after its first statement; write BEGIN READ ONLY';

function indexOf({ savepoints }: Block, name: string): number {
  const at = savepoints.findLastIndex((one) => one.name === name);
  if (at >= 0) return at;
  throw sqlError('3B001', `savepoint "${name}" does not exist`);
}

function lostRace(): Error {
  return fail(
    'serializable_conflict',
    'could not serialize access: another transaction has changed the data that this one has read',
  );
}
