/** Commits changes of API keys, one after the other. */

import type { KeyChange, KeySet, Principal } from '#access';
import { neverYield, runSteps } from '#base';
import { apiKeyKey, type Catalog, keysHeadKey, keyUseKey } from '#catalog';
import { fail } from '#failure';
import type { CommitOutcome } from '#storage';
import { endedWrites, isCommitted, requireAdmitted } from '../attempt.ts';
import type { Database } from '../database.ts';
import { needSteps } from '../identity-needs.ts';

/** The state that a change is based on. */
interface KeysBasis {
  readonly keys: KeySet;
  readonly catalog: Catalog;
  readonly nowMs: number;
}

/** A change with its result. Without a change, nothing is written. */
interface Decision<T> {
  readonly change?: KeyChange;
  readonly result: T;
}

/** Number of attempts before a conflict with changes of the catalog is reported. */
const attemptsMax = 10;
/** Maximum number of changes that wait for each other or are being committed. */
const waitingMax = 64;

export class KeyChanges {
  private readonly database: Database;
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor(database: Database) {
    this.database = database;
  }

  /**
   * Resolves with the result when the change is durable. `decide` is called again if the catalog has changed in the meantime. Throws
   * `invalid_token`, and changes nothing, if the API key of `principal` has ended, and `overloaded` if too many changes wait.
   */
  async change<T>(decide: (basis: KeysBasis) => Decision<T>, principal: Principal): Promise<T> {
    if (this.waiting >= waitingMax) {
      const detail = `${waitingMax} changes of API keys are waiting; nothing was changed; send the request again later`;
      throw fail('overloaded', detail, { retryAfterSeconds: 1 });
    }
    this.waiting++;
    const turn = this.last.then(() => this.commitDecided(decide, principal));
    this.last = turn.catch(() => undefined);
    return turn.finally(() => this.waiting--);
  }

  private async commitDecided<T>(
    decide: (basis: KeysBasis) => Decision<T>,
    principal: Principal,
  ): Promise<T> {
    const { database } = this;
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      await database.store.admitWrite();
      requireAdmitted(database, { principal });
      const { keys, catalog } = database;
      const { change, result } = decide({ keys, catalog, nowMs: database.world.clock.unixMs() });
      if (change === undefined) {
        // The state on which the decision is based must be durable, too.
        await database.store.durable(database.newestSequence);
        return result;
      }
      if (isCommitted(await this.commit(change, { keys, catalog, principal }))) return result;
      if (database.hasEndedWrites) throw endedWrites();
    }
    const detail =
      'conflict: the catalog changed repeatedly; nothing was changed; send the request again';
    throw fail('serializable_conflict', detail);
  }

  private async commit(
    { keys, records }: KeyChange,
    before: Pick<KeysBasis, 'keys' | 'catalog'> & { readonly principal: Principal },
  ): Promise<CommitOutcome> {
    const { database } = this;
    if (database.hasEndedWrites) throw endedWrites();
    const transaction = database.store.begin();
    try {
      // Programs that do not support API keys refuse the database from now on.
      if (before.keys.version === 0) await runSteps(needSteps(transaction, 'keys'), neverYield);
      for (const { id, record } of records) {
        if (record !== undefined) {
          transaction.put(apiKeyKey(id), record);
          continue;
        }
        transaction.delete(apiKeyKey(id));
        transaction.delete(keyUseKey(id));
      }
      transaction.put(keysHeadKey, keys.encodeHead());
      return await transaction.commit({
        validate: () =>
          !database.hasEndedWrites &&
          database.keys === before.keys &&
          database.catalog === before.catalog &&
          database.admits(before.principal),
        applied: (sequence) => database.applied(undefined, sequence, keys),
      });
    } finally {
      transaction.release();
    }
  }
}
