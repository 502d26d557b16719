/** A document of LIR that is being written, as what writes a part of it sees it. */

import type { Rel } from './columns.ts';
import type { Asked } from './parts.ts';

export interface Nodes {
  /** What columns of its own have for an owner. */
  readonly id: number;
  /** The node whose expressions are being written has a literal. */
  hasValue: boolean;
  /** A column of rows of another document. */
  stray: unknown;
  /** The name of a scope that nothing else has. */
  label(): string;
  /** A node, numbered once what it reads is. `write` gives the members behind `kind`. */
  node(kind: string, write: () => string): string;
  /** The same columns behind another node, which reads `input`. */
  over(input: Rel, kind: string, write: () => string): Rel;
  rel(q: Asked): Rel;
  /** With columns that are named one by one. */
  explicit(q: Asked): Rel;
  /** Ordered and with named columns, as answers and crossings have it. */
  shaped(q: Asked): Rel;
  /** The text of an expression; throws for anything else. */
  ex(ex: unknown): string;
}
