/** The records that make a store a database, as one view has them. */

import {
  type Catalog,
  catalogKey,
  type DatabaseIdentity,
  decodeCatalog,
  decodeIdentity,
  emptyCatalog,
  identityKey,
} from '#catalog';
import type { ReadView } from '#storage';

export interface StoredRecords {
  readonly identity: DatabaseIdentity;
  readonly catalog: Catalog;
  /** What `catalog` was decoded from. */
  readonly catalogBytes: Uint8Array | undefined;
}

/** Undefined when the store is no database yet. A catalog with the bytes of `known` is that catalog. */
export async function readRecords(
  view: ReadView,
  known?: StoredRecords,
): Promise<StoredRecords | undefined> {
  const identity = await readRecord(view, identityKey);
  if (identity === undefined) return undefined;
  const catalogBytes = await readRecord(view, catalogKey);
  const isKnown = known !== undefined && isSame(known.catalogBytes, catalogBytes);
  const catalog = isKnown ? known.catalog : decoded(catalogBytes);
  return { identity: decodeIdentity(identity), catalog, catalogBytes };
}

function decoded(bytes: Uint8Array | undefined): Catalog {
  return bytes === undefined ? emptyCatalog : decodeCatalog(bytes);
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
