import { describe, expect, test } from 'bun:test';
import { compareBytes } from '#base';
import {
  type Catalog,
  type CatalogWrite,
  catalogCommitWrites,
  catalogKey,
  checkRevision,
  decodeCatalog,
  decodeRevision,
  emptyCatalog,
  identityKey,
  incrementMarkKey,
  requireRevisionsFit,
  revisionKey,
  revisionRange,
  schemaHash,
} from '#catalog';
import { after, catalogOf, create, failureOf, posts, tableOf, users } from '../support.ts';

/** The catalog space after the writes. */
function apply(space: Map<string, Uint8Array>, writes: readonly CatalogWrite[]): void {
  for (const { key, value } of writes) {
    if (value === undefined) space.delete(key.toHex());
    else space.set(key.toHex(), value);
  }
}

const at = (catalog: Catalog, versionAtMs: number): Catalog => ({ ...catalog, versionAtMs });

test('a commit writes the catalog and its revision', () => {
  const catalog = at(catalogOf(users), 1234);
  const space = new Map<string, Uint8Array>();
  apply(space, catalogCommitWrites(emptyCatalog, catalog));
  expect([...space.keys()]).toEqual([catalogKey.toHex(), revisionKey(1).toHex()]);
  expect(decodeCatalog(space.get(catalogKey.toHex()) as Uint8Array)).toStrictEqual(catalog);
  const revision = decodeRevision(space.get(revisionKey(1).toHex()) as Uint8Array);
  expect(revision).toMatchObject({ version: 1, createdAtMs: 1234, hash: schemaHash(catalog) });
  expect(JSON.parse(revision.schema).tables[0].name).toBe('users');
});

test('versions in between get revisions of the same time', () => {
  const first = catalogOf(users);
  const second = at(after(first, create(posts)), 7);
  const writes = catalogCommitWrites(emptyCatalog, second, [first]);
  const revisions = writes.slice(1).map(({ value }) => decodeRevision(value as Uint8Array));
  expect(revisions.map(({ version, createdAtMs }) => [version, createdAtMs])).toEqual([
    [1, 7],
    [2, 7],
  ]);
  expect(revisions[0]?.hash).toBe(schemaHash(first));
});

test('the newest 256 revisions are kept', () => {
  const space = new Map<string, Uint8Array>();
  let catalog = emptyCatalog;
  const steps = [1, 254, 1, 1, 2, 10, 300, 1];
  for (const step of steps) {
    const before = catalog;
    const between: Catalog[] = [];
    for (let i = 1; i < step; i++) between.push({ ...before, version: before.version + i });
    catalog = { ...before, version: before.version + step, versionAtMs: 1 };
    apply(space, catalogCommitWrites(before, catalog, between));
    const kept = Math.min(256, catalog.version);
    const expected = Array.from({ length: kept }, (_, i) => catalog.version - i);
    expect(space.size).toBe(kept + 1);
    for (const version of expected) expect(space.has(revisionKey(version).toHex())).toBe(true);
  }
});

test('marks of deleted columns and tables are deleted', () => {
  const counted = (name: string) => ({
    ...users,
    name,
    columns: users.columns.map((column) =>
      column.name === 'age'
        ? { ...column, default: { kind: 'generator', func: 'increment' } as const }
        : column,
    ),
  });
  const before = at(catalogOf(counted('a'), counted('b'), counted('c')), 1);
  const gone = at(
    after(
      before,
      { kind: 'delete_table', table_id: 1 },
      { kind: 'delete_column', table_id: 2, column_id: 3 },
    ),
    2,
  );
  const deleted = catalogCommitWrites(before, gone)
    .filter(({ value }) => value === undefined)
    .map(({ key }) => key.toHex());
  const markOf = (name: string) => incrementMarkKey(tableOf(before, name), { id: 3 }).toHex();
  expect(deleted).toEqual([markOf('a'), markOf('b')]);
});

describe('keys', () => {
  test('revisions are ordered by version, inside their range', () => {
    const keys = [1, 255, 256, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1].map(revisionKey);
    for (let i = 1; i < keys.length; i++) {
      expect(compareBytes(keys[i - 1] as Uint8Array, keys[i] as Uint8Array)).toBeLessThan(0);
    }
    for (const key of keys) {
      expect(compareBytes(revisionRange.from, key)).toBeLessThan(0);
      expect(compareBytes(key, revisionRange.to as Uint8Array)).toBeLessThan(0);
    }
  });

  test('records of other kinds are outside', () => {
    for (const key of [catalogKey, identityKey, incrementMarkKey({ physicalId: 1 }, { id: 1 })]) {
      const isInside =
        compareBytes(revisionRange.from, key) <= 0 &&
        compareBytes(key, revisionRange.to as Uint8Array) < 0;
      expect(isInside).toBe(false);
    }
  });
});

test('a revision that describes another schema is drift', () => {
  const catalog = at(catalogOf(users), 1);
  const revision = { version: 1, createdAtMs: 1, hash: schemaHash(catalog), schema: '' };
  checkRevision(catalog, revision);
  checkRevision(emptyCatalog, undefined);
  for (const other of [undefined, { ...revision, version: 2 }, { ...revision, hash: 'x' }]) {
    expect(failureOf(() => checkRevision(catalog, other)).reason).toBe('catalog_schema_drift');
  }
});

test('a program does not pass through more than 64 MiB of catalogs', () => {
  const between = (count: number) => Array.from({ length: count }, () => emptyCatalog);
  const record = new Uint8Array(8 << 20);
  expect(() => requireRevisionsFit(new Uint8Array(100 << 20), [])).not.toThrow();
  expect(() => requireRevisionsFit(record, between(7))).not.toThrow();
  expect(failureOf(() => requireRevisionsFit(record, between(8))).detail).toContain('of at most 8');
  const small = new Uint8Array(1 << 20);
  expect(() => requireRevisionsFit(small, between(63))).not.toThrow();
  expect(failureOf(() => requireRevisionsFit(small, between(64))).detail).toContain('at most 64');
});
