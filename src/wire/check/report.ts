/** The findings of one check. Checks write the path in place while they descend, and only a finding builds a pointer from it. */

import { pointerOf } from '#lir';
import { asText, nameOfValue } from './wording.ts';

export interface GrammarError {
  readonly pointer: string;
  readonly detail: string;
  /** The first two steps of the path: in a program, `statements` and the index of the statement. */
  readonly head: readonly (string | number)[];
}

/** Maximum number of findings of each kind. A document could have an error in every member, and a longer search would only cost time. */
const findingsMax = 512;

export class Report {
  /** The steps to the current value. Only the first steps, up to the current depth, are valid. */
  readonly path: (string | number)[] = [];
  /** Violations of the structure. */
  readonly grammar: GrammarError[] = [];
  /** Violations in values of valid structure: rows of wrong length, invalid base64, invalid defaults. */
  readonly payload: GrammarError[] = [];
  /** Nodes and rows of nodes that an earlier check has found valid. */
  readonly right: ReadonlySet<unknown> | undefined;

  constructor(right?: ReadonlySet<unknown>) {
    this.right = right;
  }

  get count(): number {
    return this.grammar.length + this.payload.length;
  }

  /** True if further findings would be dropped, so that loops over members and elements may end. */
  get isFull(): boolean {
    return this.grammar.length >= findingsMax;
  }

  get isPayloadFull(): boolean {
    return this.payload.length >= findingsMax;
  }

  found(depth: number, detail: string): void {
    if (this.grammar.length < findingsMax) this.grammar.push(this.finding(depth, detail));
  }

  foundPayload(depth: number, detail: string): void {
    if (this.payload.length < findingsMax) this.payload.push(this.finding(depth, detail));
  }

  expected(depth: number, wanted: string, value: unknown): void {
    this.found(depth, `expected ${wanted}, got ${nameOfValue(value)}`);
  }

  /** Like `expected`, for a value that must be a string. For a number or boolean it suggests the string. */
  expectedText(depth: number, wanted: string, value: unknown): void {
    this.found(depth, `expected ${wanted}, got ${nameOfValue(value)}${asText(value)}`);
  }

  private finding(depth: number, detail: string): GrammarError {
    const path = this.path.slice(0, depth);
    return { pointer: pointerOf(path), detail, head: path.slice(0, 2) };
  }
}
