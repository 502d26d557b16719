/** Rows that a unique index would refuse: each after the first of its key, over the values as they will be. */

import { ByteWriter } from '#base';
import { columnsOf, type Index } from '#catalog';
import type { RowReader } from '#layout';
import { appendKeyMember, type ScalarType } from '#value';
import { fateOf } from '../diff/columns.ts';
import type { TablePair } from '../diff/pairs.ts';
import type { SchemaFinding } from '../finding.ts';
import { countMax, foundText, type RowCheck } from './check.ts';
import { type ColumnImage, imageOf } from './image.ts';
import { SeenKeys } from './seen-keys.ts';

export class Duplicates implements RowCheck {
  private readonly pair: TablePair;
  private readonly index: Index;
  private readonly images: readonly ColumnImage[];
  private readonly types: readonly ScalarType[];
  private readonly seen: SeenKeys;
  private readonly writer = new ByteWriter(256);
  private rows = 0;

  constructor(pair: TablePair, index: Index, bytesMax: number) {
    this.pair = pair;
    this.index = index;
    this.images = index.columns.map((id) => imageOf(pair, id));
    this.types = columnsOf(pair.after, index.columns).map(({ type }) => type);
    this.seen = new SeenKeys(bytesMax);
  }

  /** Tuples with NULL are exempt; a value without an image is another check's finding. */
  see(reader: RowReader): void {
    const { writer, images, types } = this;
    writer.clear();
    for (let i = 0; i < images.length; i++) {
      const value = (images[i] as ColumnImage)(reader);
      if (value === undefined || value === null) return;
      appendKeyMember(writer, types[i] as ScalarType, value);
    }
    if (!this.seen.add(writer.bytes, writer.length)) return;
    this.rows++;
  }

  get isDone(): boolean {
    return this.rows >= countMax;
  }

  finding(): SchemaFinding | undefined {
    if (this.rows === 0) return undefined;
    const { name: table } = this.pair.after;
    const names = columnsOf(this.pair.after, this.index.columns).map(({ name }) => name);
    const repeat = this.rows === 1 ? 'repeats' : 'repeat';
    return {
      kind: 'unique_index_duplicates',
      summary: `unique index ${this.index.name} on ${table} (${names.join(', ')}): ${foundText(this.rows)} ${repeat} the key of another row`,
      table,
      rows: this.rows,
    };
  }
}

/** Whether the primary key or a unique index rules duplicates out already: none of its columns is converted. */
export function isUniqueAlready(pair: TablePair, index: Index): boolean {
  const { before, columns } = pair;
  const isKept = (id: number) => {
    const column = columns.find(({ after }) => after.id === id);
    return index.columns.includes(id) && column !== undefined && fateOf(column) !== 'rewritten';
  };
  const keys = [
    before.primaryKey,
    ...before.indexes.filter((one) => one.unique).map((one) => one.columns),
  ];
  return keys.some((key) => key.every(isKept));
}
