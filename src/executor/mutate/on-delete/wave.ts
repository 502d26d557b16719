/** Rows that are removed together: of any table, each once. */

import type { Table } from '#catalog';
import type { Row } from '#value';
import type { Steps } from '../../steps.ts';
import { unindexRows } from '../indexes.ts';
import { clearViolations } from '../shadows.ts';
import type { Writing } from '../writing.ts';

export interface WavePart {
  readonly table: Table;
  readonly keys: Uint8Array[];
  readonly rows: Row[];
}

export class Wave {
  private readonly parts = new Map<number, WavePart>();
  private readonly known = new Set<string>();

  get isEmpty(): boolean {
    return this.known.size === 0;
  }

  get tables(): Iterable<WavePart> {
    return this.parts.values();
  }

  add(table: Table, key: Uint8Array, row: Row): void {
    const name = nameOf(key);
    if (this.known.has(name)) return;
    this.known.add(name);
    let part = this.parts.get(table.id);
    if (part === undefined) {
      part = { table, keys: [], rows: [] };
      this.parts.set(table.id, part);
    }
    part.keys.push(key);
    part.rows.push(row);
  }

  has(key: Uint8Array): boolean {
    return this.known.has(nameOf(key));
  }

  /** Takes the rows and their index entries out of the transaction. */
  *remove(writing: Writing): Steps<void> {
    for (const { table, keys, rows } of this.parts.values()) {
      for (const key of keys) writing.delete(key);
      clearViolations(writing, table, keys);
      yield* unindexRows(writing, table, { keys, rows });
    }
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
