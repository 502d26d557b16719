/** What a generator may refer to at its place. */

import type { Node } from '#lir';
import type { ScalarType } from '#value';
import type { Choices } from './choices.ts';
import type { Schema } from './schema.ts';

export interface GeneratedColumn {
  readonly name: string;
  /** Nested values can only be passed on. */
  readonly type: ScalarType | 'row' | 'array';
}

export interface VisibleScope {
  readonly label: string;
  readonly columns: readonly GeneratedColumn[];
}

/** A relation that has been generated. */
export interface Generated {
  readonly id: string;
  readonly columns: readonly GeneratedColumn[];
  readonly scopes: readonly VisibleScope[];
  readonly isOrdered: boolean;
}

/** One document in the making. */
export class Draft {
  readonly choices: Choices;
  readonly schema: Schema;
  readonly nodes: Record<string, Node> = {};
  /** Names that `ref` may use, with their columns. */
  readonly bindings: Map<string, readonly GeneratedColumn[]>;
  readonly used = new Set<string>();
  private nextNode = 0;
  private nextLabel = 0;

  constructor(
    choices: Choices,
    schema: Schema,
    bindings: ReadonlyMap<string, readonly GeneratedColumn[]>,
  ) {
    this.choices = choices;
    this.schema = schema;
    this.bindings = new Map(bindings);
  }

  add(node: Node): string {
    const id = `n${this.nextNode++}`;
    this.nodes[id] = node;
    return id;
  }

  label(): string {
    return `s${this.nextLabel++}`;
  }
}
