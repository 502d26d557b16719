/** Counts rows whose key is too long for a planned index. The check uses the values after conversion. */

import { ByteWriter } from '#base';
import { type Column, columnsOf, type Index } from '#catalog';
import { indexTupleBytesMax, type RowReader } from '#layout';
import { appendKey, ByteString, type Scalar } from '#value';
import { fateOf } from '../diff/columns.ts';
import type { TablePair } from '../diff/pairs.ts';
import type { SchemaFinding } from '../finding.ts';
import { countMax, foundText, type RowCheck } from './check.ts';
import { type ColumnImage, imageOf } from './image.ts';

export class LongKeys implements RowCheck {
  private readonly pair: TablePair;
  private readonly index: Index;
  private readonly columns: readonly Column[];
  private readonly images: readonly ColumnImage[];
  private readonly writer = new ByteWriter(256);
  private rows = 0;

  constructor(pair: TablePair, index: Index) {
    this.pair = pair;
    this.index = index;
    this.columns = columnsOf(pair.after, index.columns);
    this.images = index.columns.map((id) => imageOf(pair, id));
  }

  /** Skips a value that cannot be converted: another check counts it. */
  see(reader: RowReader): void {
    const values: Scalar[] = [];
    let atMost = 0;
    for (const image of this.images) {
      const value = image(reader);
      if (value === undefined) return;
      values.push(value);
      atMost += bytesAtMost(value);
    }
    if (atMost > indexTupleBytesMax && this.isTooLong(values)) this.rows++;
  }

  get isDone(): boolean {
    return this.rows >= countMax;
  }

  finding(): SchemaFinding | undefined {
    if (this.rows === 0) return undefined;
    const { name: table } = this.pair.after;
    const { columns, index, rows } = this;
    const names = columns.map(({ name }) => name);
    const [column] = names.length === 1 ? names : [];
    const need = rows === 1 ? 'needs' : 'need';
    return {
      kind: 'index_key_too_long',
      summary: `index ${index.name} on ${table} (${names.join(', ')}): ${foundText(rows)} ${need} a key of more than ${indexTupleBytesMax} bytes`,
      table,
      ...(column !== undefined && { column }),
      rows,
    };
  }

  private isTooLong(values: readonly Scalar[]): boolean {
    const { writer, columns } = this;
    const types = columns.map(({ type }) => type);
    writer.clear();
    appendKey(writer, types, values);
    return writer.length > indexTupleBytesMax;
  }
}

/** An upper bound for an encoded number, truth value or NULL. */
const numberBytes = 16;

/** An upper bound: every byte is escaped, with a tag before and a terminator after them. */
function bytesAtMost(value: Scalar): number {
  // A UTF-16 unit is three bytes of UTF-8 at most.
  if (typeof value === 'string') return value.length * 6 + 2;
  return value instanceof ByteString ? value.bytes.length * 2 + 2 : numberBytes;
}

/** Whether no key of the index can be too long: the types of its columns are short, or an existing key contains all its columns. */
export function isShortAlways(pair: TablePair, index: Index): boolean {
  const { before, after, columns } = pair;
  if (columnsOf(after, index.columns).every(isShort)) return true;
  const isKept = (id: number) => {
    const column = columns.find((one) => one.after.id === id);
    return column !== undefined && fateOf(column) !== 'rewritten';
  };
  const keys = [before.primaryKey, ...before.indexes.map((one) => one.columns)];
  return keys.some((key) => index.columns.every((id) => key.includes(id) && isKept(id)));
}

function isShort({ type, identifierFormat }: Column): boolean {
  return type !== 'text' && (type !== 'bytes' || identifierFormat !== undefined);
}
