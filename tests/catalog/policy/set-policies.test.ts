/** The change of policies, and the changes that policies prevent. */

import { describe, expect, test } from 'bun:test';
import {
  applyChange,
  type Catalog,
  type CatalogChange,
  catalogLimits,
  emptyCatalog,
  namedPolicies,
  type Policies,
  policyHash,
  schemaHash,
  startTransition,
  type TransitionStart,
} from '#catalog';
import { after, create, expectInvalid, expectNoChange, failureOf, posts } from '../support.ts';
import { col, eq, ofOwner, plain, policies, withPolicies } from './support.ts';

const set = (wanted: Policies | undefined) => ({ kind: 'set_policies', policies: wanted }) as const;
const deleteColumn = (table_id: number, column_id: number): CatalogChange => ({
  kind: 'delete_column',
  table_id,
  column_id,
});

describe('set_policies', () => {
  test('makes another catalog of the same version, without effects', () => {
    const { catalog, effects, changed } = applyChange(plain, set(policies));
    expect([changed, effects, catalog.version]).toEqual([true, [], plain.version]);
    expect(catalog.policies).toBe(policies);
    expect(catalog.tables).toBe(plain.tables);
    expect(schemaHash(catalog)).toBe(schemaHash(plain));
  });

  test('changes nothing if the policies are the same', () => {
    const catalog = withPolicies(plain);
    expectNoChange(catalog, set(structuredClone(policies)));
    expectNoChange(plain, set(undefined));
  });

  test('removes the policies', () => {
    const { catalog } = applyChange(withPolicies(plain), set(undefined));
    expect(catalog).toStrictEqual(plain);
  });

  test('refuses unknown tables and columns', () => {
    const wrong = (change: Partial<Policies>) => set({ ...policies, ...change });
    const reading = (column: number) => ({ where: eq(col('row', column), col('row', column)) });
    expectInvalid(plain, wrong({ tables: [{ table: 9, read: 'all' }] }), 'no table has id 9');
    const unknown = wrong({ tables: [{ table: 1, read: reading(9) }] });
    expectInvalid(plain, unknown, 'table "users" has no column with id 9');
  });

  test('refuses conditions that are too large', () => {
    const { policyParts } = catalogLimits;
    const args = Array.from({ length: policyParts - 1 }, () => col('row', 1));
    const of = (count: number) => {
      const where = { kind: 'coalesce', args: args.slice(0, count) } as const;
      return set({ claims: [], tables: [{ table: 1, update: { where } }] });
    };
    expect(applyChange(plain, of(policyParts - 1)).changed).toBe(true);
    args.push(col('row', 1));
    expectInvalid(
      plain,
      of(policyParts),
      'the update policy of table "users" has at most 64 expressions and nodes, this would be 65',
    );
  });

  test('refuses a column that is being replaced', () => {
    const { catalog } = startTransition(plain, replacement(1, 3, 'text'), []);
    const where = eq(col('row', 3), col('row', 3));
    const ofAge = set({ claims: [], tables: [{ table: 1, read: { where } }] });
    expectInvalid(catalog, ofAge, 'cannot read column "age" of table "users" while');
    expect(applyChange(catalog, set(policies)).changed).toBe(true);
  });
});

describe('a column that a policy reads', () => {
  const catalog = withPolicies(plain);

  test.each([
    ['its own', withPolicies(plain, { ...policies, tables: policies.tables.slice(0, 1) }), 'users'],
    ['that of another table', without(catalog, 1), 'posts'],
  ])('is not deleted, by %s policy', (_, of, owner) => {
    const free = after(of, { kind: 'delete_index', table_id: 1, index: 'users_name_uq' });
    const fragment = `column "name" cannot be deleted: the row policy of table "${owner}" reads it`;
    expectInvalid(free, deleteColumn(1, 2), fragment);
  });

  test('is not replaced, but may accept NULL', () => {
    const refused = failureOf(() => startTransition(catalog, replacement(1, 2, 'int64'), []));
    expect(refused.detail).toContain('column "name" cannot be replaced: the row policy of table');
    const relaxed = startTransition(catalog, replacement(1, 2, 'text', true), []);
    expect(relaxed.catalog.policies).toBe(policies);
  });

  test('is renamed, and the policies stay as they are', () => {
    const renamed = after(
      catalog,
      { kind: 'rename_column', table_id: 1, column_id: 2, to: 'login' },
      { kind: 'rename_table', table_id: 1, to: 'people' },
    );
    expect(renamed.policies).toBe(policies);
    const text = JSON.stringify(namedPolicies(renamed, policies));
    expect(text).toContain('"table":"people"');
    expect(text).toContain('"column":"login"');
  });

  test('other columns are deleted and replaced', () => {
    expect(after(catalog, deleteColumn(1, 3)).policies).toBe(policies);
    expect(startTransition(catalog, replacement(1, 3, 'text'), []).catalog.policies).toBe(policies);
  });
});

describe('a table', () => {
  const free: Policies = { ...policies, tables: [{ table: 3, read: 'all' }, ...[]] };
  const third = after(plain, create({ ...posts, name: 'third' }));

  test('that the policy of another table reads is not deleted', () => {
    const read = withPolicies(
      after(plain, { kind: 'delete_foreign_key', table_id: 2, foreign_key: 'posts_author_fk' }),
    );
    const gone: CatalogChange = { kind: 'delete_table', table_id: 1 };
    expectInvalid(read, gone, 'table "users" cannot be deleted: the row policy of table "posts"');
  });

  test('is deleted together with its own policy', () => {
    const kept = after(withPolicies(plain), { kind: 'delete_table', table_id: 2 });
    expect(kept.policies).toEqual({ ...policies, tables: policies.tables.slice(0, 1) });
  });

  test('is deleted without the last policy, and policies stay in force', () => {
    const catalog = after(withPolicies(third, free), { kind: 'delete_table', table_id: 3 });
    expect(catalog.policies).toEqual({ claims: policies.claims, tables: [] });
  });

  test('without a policy is deleted, and the policies stay the same object', () => {
    const catalog = after(withPolicies(third), { kind: 'delete_table', table_id: 3 });
    expect(catalog.policies).toBe(policies);
  });
});

describe('the hash of policies', () => {
  test('is that of their names and conditions', () => {
    const catalog = withPolicies(plain);
    expect(policyHash(catalog)).toMatch(/^sha256:[0-9a-f]{64}$/);
    const { where, nodes = {} } = ofOwner;
    const turned = { nodes: Object.fromEntries(Object.entries(nodes).reverse()), where };
    const [first, second] = policies.tables;
    const same = { ...policies, tables: [first, { ...second, create: turned }] } as Policies;
    expect(policyHash(withPolicies(plain, same))).toBe(policyHash(catalog));
    const renamed = after(catalog, { kind: 'rename_table', table_id: 1, to: 'people' });
    expect(policyHash(renamed)).not.toBe(policyHash(catalog));
  });

  test('without policies is that of `none`', () => {
    const none = new Bun.CryptoHasher('sha256').update('none').digest('hex');
    expect(policyHash(emptyCatalog)).toBe(`sha256:${none}`);
    const empty = withPolicies(plain, { claims: [], tables: [] });
    expect(policyHash(empty)).not.toBe(policyHash(plain));
  });
});

function replacement(
  table_id: number,
  column_id: number,
  type: 'int64' | 'text',
  nullable = false,
): TransitionStart {
  return {
    kind: 'start_column_replacement',
    table_id,
    column_id,
    replacement: { type, nullable },
  };
}

/** The catalog without the policy of a table. */
function without(catalog: Catalog, table: number): Catalog {
  const tables = policies.tables.filter((policy) => policy.table !== table);
  return after(catalog, set({ ...policies, tables }));
}
