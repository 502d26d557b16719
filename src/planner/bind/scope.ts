/** Resolves references: in the scopes of the input first, then in those of the enclosing rows (docs/lir.md §4). */

import type { BoundColumn } from './bound.ts';

/** The columns of a label, by name. */
export type Scope = ReadonlyMap<string, BoundColumn>;

export type Scopes = ReadonlyMap<string, Scope>;

/**
 * The surroundings of a relation. `row`: the relation belongs to a crossing, and `scopes` are visible to the expression that contains the crossing.
 * `read` collects the columns that the relation uses from there or from further out. `sibling`: the scopes of an earlier input of the same operator,
 * which may not be used.
 */
export type Enclosing =
  | {
      readonly kind: 'row';
      readonly scopes: Scopes;
      readonly read: Set<number>;
      readonly around: Enclosing | undefined;
    }
  | {
      readonly kind: 'sibling';
      readonly scopes: Scopes;
      readonly around: Enclosing | undefined;
    };

type Lookup =
  | { readonly kind: 'column'; readonly column: BoundColumn }
  | { readonly kind: 'unknown_column'; readonly known: Iterable<string> }
  | { readonly kind: 'unknown_scope' | 'dependent_join' };

export function scopeOf(columns: readonly BoundColumn[]): Scope {
  return new Map(columns.map((column) => [column.name, column]));
}

export function lookUp(
  scopes: Scopes,
  enclosing: Enclosing | undefined,
  label: string,
  name: string,
): Lookup {
  const own = scopes.get(label);
  if (own !== undefined) return columnIn(own, name);
  const crossed: Set<number>[] = [];
  for (let at = enclosing; at !== undefined; at = at.around) {
    if (at.kind === 'row') crossed.push(at.read);
    const scope = at.scopes.get(label);
    if (scope === undefined) continue;
    const found = columnIn(scope, name);
    if (found.kind === 'column' && at.kind === 'sibling') return { kind: 'dependent_join' };
    if (found.kind === 'column') for (const read of crossed) read.add(found.column.id);
    return found;
  }
  return { kind: 'unknown_scope' };
}

function columnIn(scope: Scope, name: string): Lookup {
  const column = scope.get(name);
  return column === undefined
    ? { kind: 'unknown_column', known: scope.keys() }
    : { kind: 'column', column };
}
