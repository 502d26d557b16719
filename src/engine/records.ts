/** Reads the records that make a store a database. */

import {
  type Catalog,
  catalogKey,
  checkRevision,
  type DatabaseIdentity,
  decodeCatalog,
  decodeIdentity,
  decodeRevision,
  emptyCatalog,
  identityKey,
  revisionKey,
} from '#catalog';
import { isDamage, type ReadView } from '#storage';

export interface StoredRecords {
  readonly identity: DatabaseIdentity;
  readonly catalog: Catalog;
  /** The bytes from which `catalog` was decoded. */
  readonly catalogBytes: Uint8Array | undefined;
}

/**
 * Reads the records of a view. Returns `undefined` if the store contains no database yet. If the catalog has the bytes
 * of `known`, that catalog object is returned. Throws `catalog_corrupt` and `catalog_schema_drift`.
 */
export async function readRecords(
  view: ReadView,
  known?: StoredRecords,
): Promise<StoredRecords | undefined> {
  const identity = await readRecord(view, identityKey);
  if (identity === undefined) return undefined;
  const catalogBytes = await readRecord(view, catalogKey);
  const isKnown = known !== undefined && isSame(known.catalogBytes, catalogBytes);
  const catalog = isKnown ? known.catalog : await checkedCatalog(view, catalogBytes);
  return { identity: decodeIdentity(identity), catalog, catalogBytes };
}

/**
 * Decodes a catalog. Throws `catalog_schema_drift` unless the view has a revision record of the version of the catalog
 * that describes it.
 */
async function checkedCatalog(view: ReadView, bytes: Uint8Array | undefined): Promise<Catalog> {
  if (bytes === undefined) return emptyCatalog;
  const catalog = decodeCatalog(bytes);
  try {
    const revision = await readRecord(view, revisionKey(catalog.version));
    checkRevision(catalog, revision && decodeRevision(revision));
  } catch (error) {
    // If the SSTable with the revision record is damaged, the check is skipped and all other data stay available.
    if (!isDamage(error)) throw error;
  }
  return catalog;
}

function isSame(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return Buffer.compare(left, right) === 0;
}

async function readRecord(view: ReadView, key: Uint8Array): Promise<Uint8Array | undefined> {
  for (;;) {
    const found = view.get(key);
    if (!(found instanceof Promise)) return found?.slice();
    await found;
  }
}
