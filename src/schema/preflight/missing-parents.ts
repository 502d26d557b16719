/** Rows whose reference leads nowhere, for a foreign key that is to be added. */

import { columnsOf, type ForeignKey, type Table } from '#catalog';
import { type RowReader, tableLayout } from '#layout';
import type { ReadView } from '#storage';
import type { Scalar } from '#value';
import type { TablePair } from '../diff/pairs.ts';
import type { SchemaFinding } from '../finding.ts';
import { countMax, foundText, type RowCheck } from './check.ts';
import { type ColumnImage, imageOf } from './image.ts';

interface Wanted {
  readonly key: Uint8Array;
  rows: number;
}

export class MissingParents implements RowCheck {
  private readonly pair: TablePair;
  private readonly foreignKey: ForeignKey;
  /** Undefined for a table that is to be created: it has no rows. */
  private readonly parent: Table | undefined;
  private readonly images: readonly ColumnImage[];
  /** References that were met and not looked up yet. */
  private wanted = new Map<string, Wanted>();
  private rows = 0;

  constructor(pair: TablePair, foreignKey: ForeignKey, parent: Table | undefined) {
    this.pair = pair;
    this.foreignKey = foreignKey;
    this.parent = parent;
    this.images = foreignKey.columns.map((id) => imageOf(pair, id));
  }

  /** A tuple with NULL references nothing; a value without an image is another check's finding. */
  see(reader: RowReader): void {
    const values: Scalar[] = [];
    for (const image of this.images) {
      const value = image(reader);
      if (value === undefined || value === null) return;
      values.push(value);
    }
    if (this.parent === undefined) {
      this.rows++;
      return;
    }
    const key = tableLayout(this.parent).keyOfValues(values);
    const text = Buffer.from(key).toString('latin1');
    const known = this.wanted.get(text);
    if (known === undefined) this.wanted.set(text, { key, rows: 1 });
    else known.rows++;
  }

  async settle(view: ReadView): Promise<void> {
    const { wanted } = this;
    this.wanted = new Map();
    for (const { key, rows } of wanted.values()) {
      let found = view.get(key);
      while (found instanceof Promise) {
        await found;
        found = view.get(key);
      }
      if (found !== undefined) continue;
      this.rows += rows;
    }
  }

  get isDone(): boolean {
    return this.rows >= countMax;
  }

  finding(): SchemaFinding | undefined {
    if (this.rows === 0) return undefined;
    const { name: table } = this.pair.after;
    const names = columnsOf(this.pair.after, this.foreignKey.columns).map(({ name }) => name);
    return {
      kind: 'foreign_key_missing_parent',
      summary: `foreign key ${this.foreignKey.name} on ${table} (${names.join(', ')}): ${foundText(this.rows)} without the referenced row`,
      table,
      rows: this.rows,
    };
  }
}
