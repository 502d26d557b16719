/** Reads the records that make a store a database. */

import { type KeySet, KeySetReader, noKeys } from '#access';
import {
  apiKeyIdIn,
  apiKeyRange,
  type Catalog,
  catalogKey,
  checkRevision,
  corrupt,
  type DatabaseIdentity,
  decodeCatalog,
  decodeIdentity,
  decodeRevision,
  emptyCatalog,
  identityKey,
  keysHeadKey,
  revisionKey,
} from '#catalog';
import { eachEntry, isDamage, keyUnder, type ReadView } from '#storage';

export interface StoredRecords {
  readonly identity: DatabaseIdentity;
  readonly catalog: Catalog;
  /** The bytes from which `catalog` was decoded. */
  readonly catalogBytes: Uint8Array | undefined;
  readonly keys: KeySet;
  /** The bytes of the head of `keys`; `undefined` if no key was ever created. */
  readonly keysHead: Uint8Array | undefined;
}

/**
 * Reads the records of a view. Returns `undefined` if the store contains no database yet. If the catalog has the bytes
 * of `known`, that catalog object is returned, and likewise the keys. Throws `catalog_corrupt` and `catalog_schema_drift`.
 */
export async function readRecords(
  view: ReadView,
  known?: StoredRecords,
): Promise<StoredRecords | undefined> {
  const identityBytes = await readRecord(view, identityKey);
  if (identityBytes === undefined) return undefined;
  const identity = decodeIdentity(identityBytes);
  const catalogBytes = await readRecord(view, catalogKey);
  const isKnown = known !== undefined && isSame(known.catalogBytes, catalogBytes);
  const catalog = isKnown ? known.catalog : await checkedCatalog(view, catalogBytes);
  const keysHead = await headOfKeys(view, identity);
  const hasSameKeys = known !== undefined && isSame(known.keysHead, keysHead);
  const keys = hasSameKeys ? known.keys : await readKeys(view, keysHead, known?.keys);
  return { identity, catalog, catalogBytes, keys, keysHead };
}

/** Returns the head of the keys, or `undefined` if no key was ever created. Throws `catalog_corrupt` if it is missing. */
async function headOfKeys(
  view: ReadView,
  { needs = [] }: DatabaseIdentity,
): Promise<Uint8Array | undefined> {
  if (!needs.includes('keys')) return undefined;
  const head = await readRecord(view, keysHeadKey);
  if (head === undefined) throw corrupt('the API keys', 'their head is missing');
  return head;
}

/** Reads all keys. Throws `catalog_corrupt`, and the error of the store, if one of them is missing or damaged. */
async function readKeys(
  view: ReadView,
  head: Uint8Array | undefined,
  known: KeySet = noKeys,
): Promise<KeySet> {
  if (head === undefined) return noKeys;
  const reader = new KeySetReader(head, known);
  await eachEntry(view, apiKeyRange, (cursor) => {
    const record = cursor.value.slice(cursor.valueFrom, cursor.valueTo);
    reader.add(apiKeyIdIn(keyUnder(cursor)), record);
    return true;
  });
  return reader.end();
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
