/** A cascade round: the primary keys of rows of any tables that were removed together, each once. */

import type { Steps } from '#base';
import { columnOrdinal, type Table } from '#catalog';
import type { Row } from '#value';
import { listRows } from '../../spill/list-rows.ts';
import { RowList } from '../../spill/row-list.ts';
import type { NumberedRows } from '../index-entries.ts';
import type { MutationContext } from '../mutation-context.ts';
import { removeRows, rowChange } from '../row-change.ts';

interface RoundPart {
  readonly table: Table;
  /** The primary keys of the removed rows, with the columns of the key in its order. */
  readonly keys: RowList;
}

export class CascadeRound {
  private readonly parts = new Map<number, RoundPart>();

  get isEmpty(): boolean {
    return this.parts.size === 0;
  }

  get tables(): Iterable<RoundPart> {
    return this.parts.values();
  }

  /** Removes rows with their index entries, and adds them to the round. */
  *remove(mutationContext: MutationContext, table: Table, removed: NumberedRows): Steps<void> {
    if (removed.rows.length === 0) return;
    yield* removeRows(mutationContext, rowChange(table), removed);
    const ordinals = table.primaryKey.map((id) => columnOrdinal(table, id));
    const keys = removed.rows.map((row): Row => ordinals.map((ordinal) => row[ordinal] ?? null));
    const { keys: list } = this.parts.get(table.id) ?? this.opened(mutationContext, table);
    yield* listRows(list, keys, (rows) => mutationContext.pause(rows));
  }

  /** Releases the memory of the keys. */
  release(): void {
    for (const { keys } of this.parts.values()) keys.clear();
  }

  private opened({ run, site }: MutationContext, table: Table): RoundPart {
    const columns = table.primaryKey.map((id) => table.columns[columnOrdinal(table, id)]);
    const types = columns.map((column) => ({ kind: column?.type ?? 'int64' }));
    const part = { table, keys: new RowList(types, run.memory, site) };
    this.parts.set(table.id, part);
    return part;
  }
}
