/**
 * Records SSTables that could not be read, or whose files are missing, for the log, the statistics
 * and later readers.
 */

import type { TableDamage } from '../contract/statistics.ts';
import { StorageError, type StorageFault } from '../object/storage-fault.ts';

export class DamagedTables {
  private readonly known = new Map<string, TableDamage>();

  get isEmpty(): boolean {
    return this.known.size === 0;
  }

  /**
   * Records damage. The first damage of an SSTable is kept, because later ones have the same cause.
   * A restored SSTable may be damaged again.
   */
  note(damage: TableDamage): void {
    const before = this.known.get(damage.table);
    if (before === undefined || before.kind === 'restored' || damage.kind === 'restored') {
      this.known.set(damage.table, damage);
    }
  }

  /**
   * Records an error from reading `table`. An error that is not a fault of the SSTable is ignored.
   */
  noteError(table: string, error: unknown): void {
    const fault = faultIn(error);
    if (fault === undefined || !isOfTable(fault)) return;
    const detail = new StorageError(fault).message;
    this.note({ table, kind: fault.kind, detail });
  }

  /** Forgets the damage, because the file of the SSTable exists again. */
  forget(table: string): void {
    this.known.delete(table);
  }

  of(table: string): TableDamage | undefined {
    return this.known.get(table);
  }

  /** Returns the damage of SSTables that are still `needed`, and forgets that of all others. */
  among(needed: (table: string) => boolean): readonly TableDamage[] {
    for (const table of this.known.keys()) if (!needed(table)) this.known.delete(table);
    return [...this.known.values()];
  }
}

type OfTable = StorageFault & { readonly kind: 'missing' | 'corrupt' | 'format' | 'io' };

function isOfTable(fault: StorageFault): fault is OfTable {
  return ['missing', 'corrupt', 'format', 'io'].includes(fault.kind);
}

function faultIn(error: unknown): StorageFault | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof StorageError) return at.fault;
  }
  return undefined;
}
