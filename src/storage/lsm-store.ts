/** The store: views and transactions over the version set, the commit lane, and what goes on behind them. */

import type { Durable } from './manifest/durable.ts';
import type { Snapshot, Store, Transaction, WritePressure } from './store.ts';
import { type CommitLane, type LiveSequences, StoreTransaction } from './transaction/index.ts';
import type { VersionSet } from './version-set.ts';
import { View } from './view.ts';

export interface StoreParts {
  readonly durable: Durable;
  readonly versions: VersionSet;
  readonly lane: CommitLane;
  readonly candidates: LiveSequences;
  readonly live: LiveSequences;
}

export class LsmStore implements Store {
  private readonly parts: StoreParts;

  constructor(parts: StoreParts) {
    this.parts = parts;
  }

  snapshot(): Snapshot {
    return this.view();
  }

  begin(): Transaction {
    const { lane, candidates } = this.parts;
    return new StoreTransaction({ view: this.view(), lane, candidates });
  }

  durable(sequence: number): Promise<void> | undefined {
    return this.parts.lane.durable(sequence);
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.parts.lane.turns.run(work);
  }

  get pressure(): WritePressure {
    return 'none';
  }

  admitWrite(): Promise<void> | undefined {
    return undefined;
  }

  get poisoned(): Error | undefined {
    return this.parts.lane.poisoned ?? this.parts.durable.log.poisoned;
  }

  async close(): Promise<void> {
    await this.parts.durable.close();
  }

  private view(): View {
    const { versions, live, lane } = this.parts;
    return new View(versions, live, lane.applied);
  }
}
