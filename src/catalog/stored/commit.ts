/** The writes to the catalog space when a changed catalog is committed. */

import { fail } from '#failure';
import { isIncrement } from '../change/default.ts';
import { catalogLimits } from '../limits.ts';
import { columnById, tableById } from '../lookup.ts';
import type { Catalog } from '../table.ts';
import { encodeCatalog } from './catalog-record.ts';
import { catalogKey, incrementMarkKey, revisionKey, transitionKey } from './keys.ts';
import { encodeRevision, revisionOf, revisionsMax } from './revision.ts';

/** One write. Without `value`, the key is deleted. */
export interface CatalogWrite {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/**
 * Returns the writes of the commit from `before` to `after`. `between` contains the catalogs of the versions in between, in order. A program with several
 * changes creates a revision for each of them. All of these revisions get the commit time of `after`.
 */
export function catalogCommitWrites(
  before: Catalog,
  after: Catalog,
  between: readonly Catalog[] = [],
): readonly CatalogWrite[] {
  return [
    { key: catalogKey, value: encodeCatalog(after) },
    ...newRevisions(before, after, between),
    ...expiredRevisions(before, after),
    ...forgottenMarks(before, after),
    ...forgottenTransitions(before, after),
  ];
}

/** Throws `invalid` if a program makes the record of the catalog larger than the limit. */
export function requireRecordFits(before: Catalog, record: Uint8Array): void {
  const { recordBytes } = catalogLimits;
  if (record.length <= recordBytes || record.length <= encodeCatalog(before).length) return;
  const detail = `the catalog has at most ${recordBytes} bytes, this would be ${record.length}; use shorter names, fewer columns, or another database`;
  throw fail('invalid', detail);
}

/** Maximum size of all revisions that one program creates. */
const revisionsBytesMax = 64 << 20;

/** Throws `invalid` if a program creates more revisions of a large catalog than one commit should write. */
export function requireRevisionsFit(record: Uint8Array, between: readonly Catalog[]): void {
  const count = between.length + 1;
  if (count === 1 || count * record.length <= revisionsBytesMax) return;
  const fit = Math.max(1, Math.floor(revisionsBytesMax / record.length));
  const detail = `the program creates ${count} versions of a catalog of ${record.length} bytes, each of which is stored; send programs of at most ${fit} changes`;
  throw fail('invalid', detail);
}

/** Returns the new revisions. A catalog of the same version has none, because the active transitions are not part of the schema. */
function newRevisions(
  before: Catalog,
  after: Catalog,
  between: readonly Catalog[],
): readonly CatalogWrite[] {
  return [...between, after]
    .filter(({ version }) => version > before.version && version > after.version - revisionsMax)
    .map((catalog) => {
      const revision = revisionOf({ ...catalog, versionAtMs: after.versionAtMs });
      return { key: revisionKey(catalog.version), value: encodeRevision(revision) };
    });
}

function expiredRevisions(before: Catalog, after: Catalog): readonly CatalogWrite[] {
  const writes: CatalogWrite[] = [];
  const last = Math.min(before.version, after.version - revisionsMax);
  for (let version = Math.max(1, before.version - revisionsMax + 1); version <= last; version++) {
    writes.push({ key: revisionKey(version), value: undefined });
  }
  return writes;
}

/** Deletes the increment marks of deleted columns. */
function forgottenMarks(before: Catalog, after: Catalog): readonly CatalogWrite[] {
  return before.tables.flatMap((table) => {
    const kept = tableById(after, table.id);
    return table.columns
      .filter(({ id, default: value }) => isIncrement(value) && !(kept && columnById(kept, id)))
      .map((column) => ({ key: incrementMarkKey(table, column), value: undefined }));
  });
}

/** Deletes the records of ended transitions that exceed the retained number. */
function forgottenTransitions(before: Catalog, after: Catalog): readonly CatalogWrite[] {
  const kept = new Set(after.endedTransitions?.map(({ id }) => id));
  return (before.endedTransitions ?? [])
    .filter(({ id }) => !kept.has(id))
    .map(({ id }) => ({ key: transitionKey(id), value: undefined }));
}
