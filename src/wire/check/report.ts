/** The findings of one check. Positions are steps written in place while descending; a pointer is built for a finding only. */

import { pointerOf } from '#lir';
import { asText, nameOfValue } from './wording.ts';

export interface SchemaFinding {
  readonly pointer: string;
  readonly detail: string;
  /** The first two steps of the path: in a program, `statements` and the index of the statement. */
  readonly head: readonly (string | number)[];
}

/** A hopeless document could have a finding per member; nobody reads them all, and looking for more of them takes time. */
const findingsMax = 512;

export class Report {
  /** The steps to the value at hand; only as many as the current depth are meaningful. */
  readonly path: (string | number)[] = [];
  /** Violations of the structure. */
  readonly grammar: SchemaFinding[] = [];
  /** Violations that a value of the right structure can still have: rows of wrong length, bad base64, bad defaults. */
  readonly payload: SchemaFinding[] = [];
  /** Nodes, and rows of them, that were looked at before: nothing is wrong with them. */
  readonly right: ReadonlySet<unknown> | undefined;

  constructor(right?: ReadonlySet<unknown>) {
    this.right = right;
  }

  get count(): number {
    return this.grammar.length + this.payload.length;
  }

  /** Nothing that is still found will be told: loops over members and elements end. */
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

  /** The same where a text is wanted: numbers are sent as texts, too. */
  expectedText(depth: number, wanted: string, value: unknown): void {
    this.found(depth, `expected ${wanted}, got ${nameOfValue(value)}${asText(value)}`);
  }

  private finding(depth: number, detail: string): SchemaFinding {
    const path = this.path.slice(0, depth);
    return { pointer: pointerOf(path), detail, head: path.slice(0, 2) };
  }
}
