/** All open transactions: their maximum number, and their end when the engine closes. */

import { Deadlines } from '#executor';
import { fail } from '#failure';
import type { BeginFacts, EngineTransaction } from './engine-transaction.ts';
import { type OpenTransactionLimits, openTransactionLimits } from './limits.ts';
import { OpenTransaction } from './open-transaction.ts';
import type { EngineParts, SessionParts } from './parts.ts';

export interface OpenTransactionStatistics {
  readonly open: number;
  /** Age of the oldest transaction, 0 if there is none. */
  readonly ageMs: number;
}

export class OpenTransactions {
  private readonly parts: SessionParts;
  /** Open transactions by id, in the order of their start. */
  private readonly open = new Map<string, OpenTransaction>();
  private begun = 0;
  private stopping: Error | undefined;

  constructor(parts: EngineParts, limits: Partial<OpenTransactionLimits> = {}) {
    this.parts = {
      ...parts,
      limits: { ...openTransactionLimits, ...limits },
      deadlines: new Deadlines(parts.database.world),
      closed: (id) => this.open.delete(id),
    };
  }

  begin(facts: BeginFacts = {}): EngineTransaction {
    if (this.stopping !== undefined) throw this.stopping;
    const { openMax } = this.parts.limits;
    if (this.open.size >= openMax) {
      const detail = `${openMax} transactions are already open; try again later`;
      throw fail('overloaded', detail, { retryAfterSeconds: 1 });
    }
    const transaction = new OpenTransaction(`${++this.begun}`, facts, this.parts);
    this.open.set(transaction.id, transaction);
    transaction.start();
    return transaction;
  }

  statistics(): OpenTransactionStatistics {
    const oldest = this.open.values().next().value;
    const { clock } = this.parts.database.world;
    const ageMs = oldest === undefined ? 0 : clock.monotonicMs() - oldest.beganMs;
    return { open: this.open.size, ageMs };
  }

  /** Rolls all transactions back and refuses new ones. Resolves when each has ended. */
  async endAll(reason: Error): Promise<void> {
    this.stopping ??= reason;
    const open = [...this.open.values()];
    for (const transaction of open) transaction.end('stopped', reason);
    await Promise.all(open.map(({ ended }) => ended));
  }
}
