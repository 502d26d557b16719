/** What a generator may refer to at its place. */

import type { Node } from '#lir';
import type { ScalarType } from '#value';
import type { Choices } from './choices.ts';
import type { Schema } from './schema.ts';

export interface GeneratedColumn {
  readonly name: string;
  /** Nested values can only be passed on. */
  readonly type: ScalarType | 'row' | 'array';
  /** True also when it is not known. */
  readonly nullable: boolean;
}

export interface VisibleScope {
  readonly label: string;
  readonly columns: readonly GeneratedColumn[];
  /** Columns of the keys and indexes of a table. */
  readonly paths?: readonly (readonly string[])[];
}

/** A relation that has been generated. */
export interface Generated {
  readonly id: string;
  readonly columns: readonly GeneratedColumn[];
  readonly scopes: readonly VisibleScope[];
  readonly isOrdered: boolean;
  /** There is a known unique key, by which ties are broken. */
  readonly hasKey?: boolean;
}

/** One document in the making. */
export class Draft {
  readonly choices: Choices;
  readonly schema: Schema;
  readonly nodes: Record<string, Node> = {};
  /** Names that `ref` may use, with their columns. */
  readonly bindings: Map<string, readonly GeneratedColumn[]>;
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

  /** A leaf under a label of its own. */
  leaf(
    node: (scope: string) => Node,
    columns: readonly GeneratedColumn[],
    paths?: VisibleScope['paths'],
  ): Generated {
    const label = this.label();
    const scope = paths === undefined ? { label, columns } : { label, columns, paths };
    return { id: this.add(node(label)), columns, scopes: [scope], isOrdered: false };
  }
}

export interface ColumnUse {
  readonly kind: 'col';
  readonly scope: string;
  readonly column: string;
}

/** Every column of the type in the scopes. */
export function columnsOf(
  scopes: readonly VisibleScope[],
  type: GeneratedColumn['type'],
): (ColumnUse & { readonly nullable: boolean })[] {
  return scopes.flatMap(({ label, columns }) =>
    columns
      .filter((column) => column.type === type)
      .map(({ name, nullable }) => ({ kind: 'col', scope: label, column: name, nullable })),
  );
}

export function use({ scope, column }: ColumnUse): ColumnUse {
  return { kind: 'col', scope, column };
}
