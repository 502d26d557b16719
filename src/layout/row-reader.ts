/** Decodes single cells of stored rows. */

import type { Column, Table } from '#catalog';
import { tupleFrom } from '#catalog';
import {
  asciiFlag,
  type BodyShape,
  endWidthMask,
  hasShape,
  parseShape,
  readInt32,
  readInt64,
} from '#storage';
import {
  ByteString,
  decodeKeyMember,
  type IdentifierFormat,
  type Scalar,
  type ScalarType,
  skipKeyMember,
} from '#value';
import { readFloat64, readText } from './cell-code.ts';
import type { RowReader } from './layout.ts';
import { isStoredInBody } from './row-writer.ts';

/** The positions of the columns of a table in the rows of one shape. */
interface Places {
  readonly shape: BodyShape;
  /** Positions by catalog ordinal: the position in the body, `absent`, or `~i` for member i of the key. */
  readonly places: Int32Array;
  /** Sizes of the header with the null bitmap, and of the header. */
  readonly endsFrom: number;
  readonly nullsFrom: number;
}

const absent = 0x7fff_ffff;

/** The properties of the columns of one table that readers need, and the shapes found so far. All readers of a layout share it. */
export class RowPlaces {
  readonly columns: readonly Column[];
  /** Types by catalog ordinal. */
  readonly types: readonly ScalarType[];
  readonly formats: readonly (IdentifierFormat | undefined)[];
  private readonly table: Table;
  private readonly known: Places[] = [];

  constructor(table: Table) {
    this.table = table;
    this.columns = table.columns;
    this.types = table.columns.map((column) => column.type);
    this.formats = table.columns.map((column) => column.identifierFormat);
  }

  /** Returns the positions for the body at `from`. A table has few shapes: at most one per catalog change. */
  of(body: Uint8Array, from: number): Places {
    const known = this.known.find(({ shape }) => hasShape(shape, body, from));
    if (known !== undefined) return known;
    const places = this.make(parseShape(body, from));
    this.known.push(places);
    return places;
  }

  private make(shape: BodyShape): Places {
    const positions = new Map(shape.ids.map((id, position) => [id, position]));
    const places = Int32Array.from(this.columns, (column) =>
      isStoredInBody(this.table, column)
        ? (positions.get(column.physicalId) ?? absent)
        : ~this.table.primaryKey.indexOf(column.id),
    );
    const nullsFrom = shape.header.length;
    return { shape, places, nullsFrom, endsFrom: nullsFrom + ((shape.count + 7) >> 3) };
  }
}

/** Returns whether the body at `from` has a cell of the column, even a NULL one. */
export function rowHoldsColumn(body: Uint8Array, from: number, physicalId: number): boolean {
  return parseShape(body, from).ids.includes(physicalId);
}

const nothing = new Uint8Array(0);

export class StoredRowReader implements RowReader {
  private readonly rows: RowPlaces;
  private readonly types: readonly ScalarType[];
  private readonly formats: readonly (IdentifierFormat | undefined)[];
  private current: Places | undefined;
  private places: Int32Array = new Int32Array(0);
  private key: Uint8Array = nothing;
  private keyFrom = 0;
  private body: Uint8Array = nothing;
  private nullsFrom = 0;
  private endsFrom = 0;
  /** Size of an end offset in bytes. */
  private width = 1;
  private cellsFrom = 0;
  private isAscii = false;

  constructor(rows: RowPlaces) {
    this.rows = rows;
    this.types = rows.types;
    this.formats = rows.formats;
  }

  open(
    key: Uint8Array,
    keyFrom: number,
    _keyTo: number,
    body: Uint8Array,
    bodyFrom: number,
    _bodyTo: number,
  ): void {
    this.key = key;
    this.keyFrom = keyFrom + tupleFrom;
    this.body = body;
    let { current } = this;
    if (current === undefined || !hasShape(current.shape, body, bodyFrom)) {
      current = this.rows.of(body, bodyFrom);
      this.current = current;
      this.places = current.places;
    }
    const flags = body[bodyFrom] as number;
    this.width = 1 << (flags & endWidthMask);
    this.isAscii = (flags & asciiFlag) !== 0;
    this.nullsFrom = bodyFrom + current.nullsFrom;
    this.endsFrom = bodyFrom + current.endsFrom;
    this.cellsFrom = this.endsFrom + current.shape.count * this.width;
  }

  cell(ordinal: number): Scalar {
    const place = this.places[ordinal] as number;
    if (place < 0) return this.keyMember(ordinal, ~place);
    if (place === absent) return (this.rows.columns[ordinal] as Column).missing;
    const { body } = this;
    const nulls = body[this.nullsFrom + (place >> 3)] as number;
    if ((nulls & (1 << (place & 7))) !== 0) return null;
    const from = this.cellsFrom + (place === 0 ? 0 : this.end(place - 1));
    const to = this.cellsFrom + this.end(place);
    switch (this.types[ordinal] as ScalarType) {
      case 'int64':
        return readInt64(body, from, to);
      case 'text':
        return readText(body, from, to, this.isAscii);
      case 'float64':
        return readFloat64(body, from);
      case 'bool':
        return body[from] === 1;
      case 'bytes':
        return new ByteString(body.slice(from, to), this.formats[ordinal]);
    }
  }

  private end(place: number): number {
    const { body, width } = this;
    const at = this.endsFrom + place * width;
    if (width === 1) return body[at] as number;
    if (width === 2) return (body[at] as number) | ((body[at + 1] as number) << 8);
    return readInt32(body, at) >>> 0;
  }

  private keyMember(ordinal: number, member: number): Scalar {
    let at = this.keyFrom;
    for (let i = 0; i < member; i++) at = skipKeyMember(this.key, at);
    return decodeKeyMember(this.key, at, this.types[ordinal] as ScalarType, this.formats[ordinal]);
  }
}
