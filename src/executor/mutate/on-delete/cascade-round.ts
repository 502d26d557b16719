/** A cascade round: rows of any tables that are removed together, each once. */

import type { Steps } from '#base';
import type { Table } from '#catalog';
import type { Row } from '#value';
import { IdentityCodes } from '../../batch/identity-codes.ts';
import { mapEntryBytes, textBytes } from '../../batch/memory-costs.ts';
import type { NumberedRows } from '../index-entries.ts';
import type { MutationContext } from '../mutation-context.ts';
import { removeRows, rowChange } from '../row-change.ts';
import { heldBytes } from './referencing.ts';

interface RoundPart {
  readonly table: Table;
  readonly keys: Uint8Array[];
  readonly rows: Row[];
}

export class CascadeRound {
  count = 0;
  /** Bytes of memory of its rows, as far as `add` has recorded them. */
  bytes = 0;
  private readonly parts = new Map<number, RoundPart>();
  private readonly known = new IdentityCodes();

  /** Returns a round of rows that must be distinct. */
  static of(table: Table, { keys, rows }: NumberedRows): CascadeRound {
    const round = new CascadeRound();
    round.parts.set(table.id, { table, keys: keys as Uint8Array[], rows: rows as Row[] });
    round.count = rows.length;
    return round;
  }

  get tables(): Iterable<RoundPart> {
    return this.parts.values();
  }

  /** Adds a row, unless the round contains it. Takes over the `heldBytes` that are accounted for the row. */
  add(mutationContext: MutationContext, table: Table, key: Uint8Array, row: Row): void {
    const name = nameOf(key);
    if (this.known.get(name) !== undefined) return;
    this.known.add(name, this.count++);
    const nameBytes = mapEntryBytes + textBytes(name);
    mutationContext.hold(nameBytes);
    this.bytes += nameBytes + heldBytes(key, row);
    let part = this.parts.get(table.id);
    if (part === undefined) {
      part = { table, keys: [], rows: [] };
      this.parts.set(table.id, part);
    }
    part.keys.push(key);
    part.rows.push(row);
  }

  has(key: Uint8Array): boolean {
    return this.known.get(nameOf(key)) !== undefined;
  }

  /** Removes the rows and their index entries in the transaction. */
  *remove(mutationContext: MutationContext): Steps<void> {
    for (const part of this.parts.values()) {
      yield* removeRows(mutationContext, rowChange(part.table), part);
    }
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
