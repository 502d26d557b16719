/**
 * Numbers of nested rows and arrays by row identity (lir.md §2.2): a row by the numbers of its members, an array by those of its rows. Each object is
 * looked at once, however many others hold it, so rows that share what they nest cost what there is of them, not what they would be
 * written out; a few bindings that each nest the one before twice would be gigabytes.
 */

import type { Datum, DatumType, OutputColumn, Row } from '#value';
import { IntCodes } from './int-codes.ts';
import { pairOf } from './pair.ts';
import { mapEntryBytes } from './prices.ts';

/** Numbers the values of one member; -1 for one that is unknown and not to be added. */
export interface MemberCodes {
  readonly ownBytes: number;
  codeOf(value: Datum, adds: boolean): number;
}

/** What numbers of one column have in common: types that are met again number their values together. */
export class NestedFamily {
  private readonly rows = new Map<readonly OutputColumn[], RowCodes>();
  private readonly members: MemberCodes[] = [];
  private readonly memberOf: (type: DatumType, family: NestedFamily) => MemberCodes;

  /** `memberOf` makes the numbers of a member. */
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

/** Numbers of the rows, and of the arrays of rows, that have the same columns. */
class RowCodes {
  private readonly columns: readonly OutputColumn[];
  private readonly family: NestedFamily;
  /** Made when the first row comes: the types of what nests can be many. */
  private members: readonly MemberCodes[] | undefined;
  private readonly pairs: IntCodes[] = [];
  /** An array is the number of what precedes its last row, and that row; 0 is the empty one. */
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

/** From 1 on: 0 is what nothing has been added to. */
function numberOf(codes: IntCodes, key: number, adds: boolean): number {
  return adds ? codes.findOrAdd(key, codes.size + 1) : codes.find(key);
}
