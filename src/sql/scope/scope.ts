/** Names that a query can refer to: its tables with their columns, and those of the enclosing queries. */

import type { Table } from '#catalog';
import type { Expression } from '#lir';
import type { SqlType } from '../types/sql-type.ts';

/** A column that a name refers to. */
export interface ScopeColumn {
  readonly name: string;
  readonly expr: Expression;
  readonly type: SqlType;
  /** Whether its values can be NULL, also because of an outer join. */
  readonly nullable: boolean;
  /** Whether `*` leaves it out. */
  readonly isHidden?: boolean | undefined;
  /** Whether it is a nested list of rows. */
  readonly isNested?: boolean | undefined;
  /** Schema ids of the table and the column, if it is one of a table. */
  readonly tableId?: number | undefined;
  readonly columnId?: number | undefined;
}

/** A table, subquery or function of FROM under the name by which its columns are qualified. */
export interface ScopeTable {
  readonly name: string;
  /** Schema of a table without an alias, by which its columns may be qualified, too. */
  readonly schema?: string | undefined;
  readonly columns: readonly ScopeColumn[];
  /** The table of the catalog; its primary key determines all of its columns. */
  readonly table?: Table | undefined;
}

export interface Scope {
  /** The tables by whose names columns can be qualified. */
  readonly tables: readonly ScopeTable[];
  /** The columns that names without a qualifier refer to, in the order of `*`. */
  readonly columns: readonly ScopeColumn[];
  readonly parent: Scope | undefined;
  /** Common table expressions that are declared at this level. */
  readonly relations: ReadonlyMap<string, NamedRelation>;
  /** Counts the references to columns of this scope. */
  readonly uses: { count: number };
  /** Replaces a column by the group key that determines it, once the rows are grouped. `isOuter`: the reference is in a subquery. */
  readonly grouped?: ((column: ScopeColumn, reference: Reference) => ScopeColumn) | undefined;
}

/** A common table expression. Each reference makes another relation. */
export interface NamedRelation {
  readonly name: string;
  /** The compiled form belongs to `compile`, which alone looks into it. */
  readonly body: object;
}

/** The parts of a column reference. */
export interface Reference {
  readonly column: string;
  readonly table?: string | undefined;
  readonly schema?: string | undefined;
  readonly location: number | undefined;
  readonly isOuter: boolean;
}

export const emptyScope: Scope = {
  tables: [],
  columns: [],
  parent: undefined,
  relations: new Map(),
  uses: { count: 0 },
};

/** Returns a scope for FROM, in which nothing is visible yet but the enclosing queries. */
export function childScope(
  parent: Scope | undefined,
  content: Partial<Pick<Scope, 'tables' | 'columns' | 'relations' | 'grouped'>> = {},
): Scope {
  return {
    tables: [],
    columns: [],
    relations: new Map(),
    parent,
    uses: { count: 0 },
    ...content,
  };
}

type Found =
  | { readonly kind: 'column'; readonly column: ScopeColumn }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'missing_table' }
  | { readonly kind: 'missing' };

/** Finds the column of a reference, in the nearest query that has one. */
export function findColumn(scope: Scope, reference: Omit<Reference, 'isOuter'>): Found {
  let isOuter = false;
  let isTableKnown = reference.table === undefined;
  for (let level: Scope | undefined = scope; level !== undefined; level = level.parent) {
    const candidates = candidatesAt(level, reference);
    if (candidates !== undefined) {
      isTableKnown = true;
      const found = candidates.filter((column) => column.name === reference.column);
      if (found.length > 1) return { kind: 'ambiguous' };
      const [column] = found;
      if (column !== undefined) {
        level.uses.count++;
        const grouped = level.grouped?.(column, { ...reference, isOuter });
        return { kind: 'column', column: grouped ?? column };
      }
      if (reference.table !== undefined) return { kind: 'missing' };
    }
    isOuter = true;
  }
  return { kind: isTableKnown ? 'missing' : 'missing_table' };
}

function candidatesAt(
  level: Scope,
  { table, schema }: Omit<Reference, 'isOuter'>,
): readonly ScopeColumn[] | undefined {
  if (table === undefined) return level.columns;
  return tableNamed(level, table, schema)?.columns;
}

/** Finds a table of this level by its qualifier. */
function tableNamed(level: Scope, name: string, schema?: string): ScopeTable | undefined {
  return level.tables.find(
    (table) => table.name === name && (schema === undefined || table.schema === schema),
  );
}

/** Finds a table by its qualifier, in the nearest query that has one. */
export function findTable(scope: Scope, name: string, schema?: string): ScopeTable | undefined {
  for (let level: Scope | undefined = scope; level !== undefined; level = level.parent) {
    const found = tableNamed(level, name, schema);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function findRelation(scope: Scope, name: string): NamedRelation | undefined {
  for (let level: Scope | undefined = scope; level !== undefined; level = level.parent) {
    const found = level.relations.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the number of references to columns of the enclosing queries so far. */
export function outerUses(scope: Scope): number {
  let uses = 0;
  for (let level = scope.parent; level !== undefined; level = level.parent) {
    uses += level.uses.count;
  }
  return uses;
}
