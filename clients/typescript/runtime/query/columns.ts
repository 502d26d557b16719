/** What relations in a document give: columns, and how their values are read. */

import { BuildError } from '../client/build-error.ts';
import type { Code } from '../table-info.ts';
import { typeOf } from '../wire/codec.ts';
import { columnEx } from './expression.ts';
import { type Card, Ex } from './parts.ts';
import { type Row, readerOf, record, type ValueReader } from './table.ts';

/** A column of what a relation gives. */
export interface Out {
  readonly name: string;
  readonly member: string;
  readonly ex: Ex;
  readonly read: ValueReader;
  /** Nested rows are no value to compare or to order by. */
  readonly isScalar: boolean;
}

/** A relation in a document. */
export interface Rel {
  readonly node: string;
  /** What callbacks of the next step are given. */
  readonly args: readonly Row[];
  readonly out: readonly Out[];
  /** Columns that no two rows share. */
  readonly key: readonly Ex[] | undefined;
  /** Two sides of a join have a column of one name. */
  readonly isTwice?: boolean;
}

export function outOf(name: string, member: string, ex: Ex): Out {
  return { name, member, ex, read: readerOf(ex.code, member), isScalar: true };
}

export function nullableOut(out: Out): Out {
  const { term, code, nested } = out.ex;
  const ex = new Ex(term, code, true);
  ex.nested = nested;
  return { ...out, ex };
}

export function membersOf(out: readonly Out[]): Record<string, Ex> {
  const members: Record<string, Ex> = {};
  for (const { member, ex } of out) {
    // That name would be assigned to something else.
    if (member === '__proto__') return record(out.map((one) => [one.member, one.ex] as const));
    members[member] = ex;
  }
  return members;
}

/** The same columns by another scope, of the owner. */
export function scoped(node: string, scope: string, columns: readonly Out[], owner: number): Rel {
  const out = columns.map((column) => {
    const { code, nullable, nested } = column.ex;
    const ex = columnEx([scope, column.name, owner], code, nullable);
    ex.nested = nested;
    return { ...column, ex };
  });
  return { node, args: [membersOf(out)], out, key: undefined };
}

const isNumber = (code: Code) => code === 'n' || code === 'f';

/** Nullable where either is. */
export function widened(a: Rel, b: Rel): readonly Out[] {
  return a.out.map((out, i) => (b.out[i]?.ex.nullable === true ? nullableOut(out) : out));
}

export function sameColumns(a: Rel, b: Rel, what: string): void {
  const names = ({ out }: Rel) =>
    out.map(({ name, ex }) => `${name} ${typeOf(ex.code)}`).join(', ');
  if (names(a) !== names(b))
    throw new BuildError(`${what} wants the same columns: ${names(a)}, not ${names(b)}`);
}

/**
 * Undefined where rows come as they are to be. Rows whose members have their names already become those that are read: a column at a time, since one loop over
 * one member is several times as fast.
 */
export function rowsReader(out: readonly Out[], isPicked = false): ValueReader {
  // That name would be assigned to something else.
  const isSame = out.every(({ name, member }) => name === member && name !== '__proto__');
  const converted = out.filter(({ read }) => read);
  if (isPicked || !isSame)
    return (rows: readonly Row[], isShort) =>
      rows.map((row) =>
        record(
          out.map(({ name, member, read }) => [
            member,
            read ? read(row[name] as never, isShort) : row[name],
          ]),
        ),
      );
  if (converted.length === 0) return undefined;
  // Short numbers are what the application has.
  const always = converted.filter(({ isScalar, ex }) => !isScalar || !isNumber(ex.code));
  return (rows: readonly Record<string, unknown>[], isShort) => {
    for (const { name, read } of isShort ? always : converted)
      for (const row of rows) row[name] = read?.(row[name] as never, isShort);
    return rows;
  };
}

export function rowReader(out: readonly Out[], isPicked = false): ValueReader {
  const read = rowsReader(out, isPicked);
  return read && ((row: Row, isShort) => (read([row] as never, isShort) as readonly unknown[])[0]);
}

export function oneReader(row: ValueReader, card: Card, what: string): ValueReader {
  return (value: never, isShort) => {
    if (value !== null) return row ? row(value, isShort) : value;
    if (card === 'maybe') return null;
    throw new BuildError(`${what}: there is no row, against what the schema promises`);
  };
}
