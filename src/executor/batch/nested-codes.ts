/**
 * Numbers nested rows and arrays by row identity (docs/lir.md §2): a row by the numbers of its members, an array by those of its rows. Each object
 * is visited once, however many others contain it. Rows that share nested objects therefore cost their size in memory, not their size when
 * written out: a few bindings, each of which nests the one before it twice, would amount to gigabytes.
 */

import type { Datum, DatumType, OutputColumn, Row } from '#value';
import { IntCodes } from './int-codes.ts';
import { mapEntryBytes } from './memory-costs.ts';
import { pairOf } from './pair.ts';

/** Numbers the values of one member. The code of an unknown value is -1 if `adds` is false. */
export interface MemberCodes {
  readonly ownBytes: number;
  codeOf(value: Datum, adds: boolean): number;
}

/** The shared numbering of one column: columns of the same type, wherever they occur in it, number their values together. */
export class NestedFamily {
  private readonly rows = new Map<readonly OutputColumn[], RowCodes>();
  private readonly members: MemberCodes[] = [];
  private readonly memberOf: (type: DatumType, family: NestedFamily) => MemberCodes;

  /** `memberOf` creates the numbering of a member. */
  constructor(memberOf: (type: DatumType, family: NestedFamily) => MemberCodes) {
    this.memberOf = memberOf;
  }

  get bytes(): number {
    let bytes = 0;
    for (const codes of this.rows.values()) bytes += codes.bytes;
    for (const member of this.members) bytes += member.ownBytes;
    return bytes;
  }

  rowCodes(columns: readonly OutputColumn[]): RowCodes {
    const known = this.rows.get(columns);
    if (known !== undefined) return known;
    const codes = new RowCodes(columns, this);
    this.rows.set(columns, codes);
    return codes;
  }

  member(type: DatumType): MemberCodes {
    const member = this.memberOf(type, this);
    this.members.push(member);
    return member;
  }
}

/** Numbers the rows, and the arrays of rows, that have the same columns. */
class RowCodes {
  private readonly columns: readonly OutputColumn[];
  private readonly family: NestedFamily;
  /** Created when the first row arrives, since a type can nest many others. */
  private members: readonly MemberCodes[] | undefined;
  private readonly pairs: IntCodes[] = [];
  /** Numbers each array by a pair: the number of the array without its last row, and the number of that row. The empty array is 0. */
  private readonly prefixes = new IntCodes();
  private readonly known = new WeakMap<object, number>();
  private knownCount = 0;

  constructor(columns: readonly OutputColumn[], family: NestedFamily) {
    this.columns = columns;
    this.family = family;
  }

  get bytes(): number {
    let bytes = this.prefixes.bytes + this.knownCount * mapEntryBytes;
    for (const pair of this.pairs) bytes += pair.bytes;
    return bytes;
  }

  codeOf(value: Row | readonly Row[], isArray: boolean, adds: boolean): number {
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const code = isArray
      ? this.codeOfArray(value as readonly Row[], adds)
      : this.codeOfRow(value as Row, adds);
    if (code >= 0) {
      this.known.set(value, code);
      if (adds) this.knownCount++;
    }
    return code;
  }

  private codeOfRow(row: Row, adds: boolean): number {
    this.members ??= this.columns.map(({ type }) => this.family.member(type));
    let code = 0;
    for (let c = 0; c < row.length && code >= 0; c++) {
      const member = (this.members[c] as MemberCodes).codeOf(row[c] as Datum, adds);
      if (c === 0 || member < 0) code = member;
      else code = numberOf(this.pairsOf(c), pairOf(code, member), adds);
    }
    return code;
  }

  private codeOfArray(rows: readonly Row[], adds: boolean): number {
    let code = 0;
    for (let i = 0; i < rows.length && code >= 0; i++) {
      const row = this.codeOf(rows[i] as Row, false, adds);
      code = row < 0 ? row : numberOf(this.prefixes, pairOf(code, row), adds);
    }
    return code;
  }

  private pairsOf(column: number): IntCodes {
    let pairs = this.pairs[column - 1];
    if (pairs === undefined) {
      pairs = new IntCodes();
      this.pairs[column - 1] = pairs;
    }
    return pairs;
  }
}

/** Returns numbers from 1 on; 0 is the empty prefix. */
function numberOf(codes: IntCodes, key: number, adds: boolean): number {
  return adds ? codes.findOrAdd(key, codes.size + 1) : codes.find(key);
}
