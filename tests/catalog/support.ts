/** Catalogs by changes, and the failures that changes end in. */

import { expect } from 'bun:test';
import {
  applyChange,
  type Catalog,
  type CatalogChange,
  type CatalogEffect,
  emptyCatalog,
  type PolicyChange,
  type Table,
  type TableDefinition,
} from '#catalog';
import { DatabaseError, toProblem } from '#failure';

type Change = CatalogChange | PolicyChange;

/** The catalog after the changes, all of which change something. */
export function after(catalog: Catalog, ...changes: readonly Change[]): Catalog {
  let current = catalog;
  for (const change of changes) {
    const applied = applyChange(current, change);
    expect(applied.changed).toBe(true);
    const more = change.kind === 'set_policies' ? 0 : 1;
    expect(applied.catalog.version).toBe(current.version + more);
    current = applied.catalog;
  }
  return current;
}

export function create(table: TableDefinition): CatalogChange {
  return { kind: 'create_table', table };
}

export function catalogOf(...tables: readonly TableDefinition[]): Catalog {
  return after(emptyCatalog, ...tables.map(create));
}

export function tableOf(catalog: Catalog, name: string): Table {
  const table = catalog.tables.find((candidate) => candidate.name === name);
  if (table === undefined) throw new Error(`no table ${name}`);
  return table;
}

export function effectsOf(catalog: Catalog, change: CatalogChange): readonly CatalogEffect[] {
  return applyChange(catalog, change).effects;
}

/** That the change does nothing at all. */
export function expectNoChange(catalog: Catalog, change: Change): void {
  const applied = applyChange(catalog, change);
  expect(applied.changed).toBe(false);
  expect(applied.effects).toEqual([]);
  expect(applied.catalog).toBe(catalog);
}

export function failureOf(action: () => unknown): {
  reason: string;
  stage: unknown;
  detail: string;
} {
  try {
    action();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { reason, stage, detail } = toProblem(error.failure) as unknown as {
      reason: string;
      stage: unknown;
      detail: string;
    };
    return { reason, stage, detail };
  }
  throw new Error('expected a failure');
}

/** That the change is refused as `invalid` in preflight, with a detail that contains `fragment`. */
export function expectInvalid(catalog: Catalog, change: Change, fragment: string): void {
  const { reason, stage, detail } = failureOf(() => applyChange(catalog, change));
  expect({ reason, stage }).toEqual({ reason: 'invalid', stage: 'preflight' });
  expect(detail).toContain(fragment);
}

/** users(id, name, age) and posts(id, author → users). */
export const users: TableDefinition = {
  name: 'users',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'name', type: 'text' },
    { name: 'age', type: 'int64', nullable: true },
  ],
  primary_key: ['id'],
  indexes: [{ name: 'users_name_uq', columns: ['name'], unique: true }],
};

export const posts: TableDefinition = {
  name: 'posts',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'author', type: 'int64', nullable: true },
    { name: 'title', type: 'text' },
  ],
  primary_key: ['id'],
  foreign_keys: [
    { name: 'posts_author_fk', columns: ['author'], ref_table: 'users', ref_columns: ['id'] },
  ],
};
