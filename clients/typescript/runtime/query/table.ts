/** Tables of the application's schema, made of the array that the generated module carries. */

import type { Code, TableInfo } from '../table-info.ts';
import { defaultFlag, nullableFlag } from '../table-info.ts';
import { decoderOf } from '../wire/codec.ts';

export interface Column {
  /** On the wire. */
  readonly name: string;
  readonly member: string;
  readonly code: Code;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** How its values become those of the application; undefined where they are the same. */
  readonly read: ValueReader;
}

/** How a value of the answer becomes one of the application; undefined: it is the same. `isShort`: no number of the answer has more than 15 digits. */
export type ValueReader = ((value: never, isShort?: boolean) => unknown) | undefined;

export function readerOf(code: Code, what: string): ValueReader {
  const decode = decoderOf(code, what);
  return decode && ((value: unknown) => (value === null ? null : decode(value as never)));
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The primary key, then unique indexes. */
  readonly keys: readonly (readonly Column[])[];
  readonly info: TableInfo;
}

export type Schema = readonly TableShape[];

export function schemaOf(infos: readonly TableInfo[]): Schema {
  return infos.map((info) => {
    const [name, all, keys] = info;
    const columns = all.map(
      ([column, code, flags, member = column]): Column => ({
        name: column,
        member,
        code,
        nullable: (flags & nullableFlag) !== 0,
        hasDefault: (flags & defaultFlag) !== 0,
        read: readerOf(code, `${name}.${column}`),
      }),
    );
    return { name, columns, keys: keys.map((key) => at(columns, key)), info };
  });
}

export function at(columns: readonly Column[], positions: readonly number[]): readonly Column[] {
  return positions.map((i) => columns[i] as Column);
}

/** An object whose members are what they are called, `__proto__` too. */
export function record<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries(entries);
}

/** What applications give as one row: values by the names of members. */
export type Row = Readonly<Record<string, unknown>>;

/** Undefined where the row has none, whatever the member is called. */
export function given(row: Row, member: string): unknown {
  return Object.hasOwn(row, member) ? row[member] : undefined;
}

/** What applications give as a callback: the rows of each side, and what belongs to them. */
export type Call = (...parts: readonly Row[]) => unknown;
