/** Tables that could not be read, or whose files are not where they should be: for the log, the statistics, and whoever asks. */

import type { TableDamage } from '../contract/statistics.ts';
import { StorageError, type StorageTrouble } from '../object/trouble.ts';

export class DamagedTables {
  private readonly known = new Map<string, TableDamage>();

  get isEmpty(): boolean {
    return this.known.size === 0;
  }

  /** What was learned first stays, for all that follows has the same cause; but a table that was restored may be damaged again. */
  note(damage: TableDamage): void {
    const before = this.known.get(damage.table);
    if (before === undefined || before.kind === 'restored' || damage.kind === 'restored') {
      this.known.set(damage.table, damage);
    }
  }

  /** `error` was met while `table` was read: says nothing when that is no matter of the table. */
  noteError(table: string, error: unknown): void {
    const trouble = troubleIn(error);
    if (trouble === undefined || !isOfTable(trouble)) return;
    const detail = new StorageError(trouble).message;
    this.note({ table, kind: trouble.kind, detail });
  }

  /** The file of the table is there again. */
  forget(table: string): void {
    this.known.delete(table);
  }

  of(table: string): TableDamage | undefined {
    return this.known.get(table);
  }

  /** Of tables that are still `needed`; the others are forgotten. */
  among(needed: (table: string) => boolean): readonly TableDamage[] {
    for (const table of this.known.keys()) if (!needed(table)) this.known.delete(table);
    return [...this.known.values()];
  }
}

type OfTable = StorageTrouble & { readonly kind: 'missing' | 'corrupt' | 'format' | 'io' };

function isOfTable(trouble: StorageTrouble): trouble is OfTable {
  return ['missing', 'corrupt', 'format', 'io'].includes(trouble.kind);
}

function troubleIn(error: unknown): StorageTrouble | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof StorageError) return at.trouble;
  }
  return undefined;
}
