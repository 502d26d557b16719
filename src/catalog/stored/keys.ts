/** Keys of the catalog space (docs/storage-format.md, Catalog records). */

import type { KeyRange } from '#storage';
import { keySpaces, prefixRange } from '../layout/key-space.ts';

/** Kinds of catalog records; never renumbered. */
const identityKind = 0x01;
const catalogKind = 0x02;
const revisionKind = 0x03;
const markKind = 0x04;

/** What the database is: its mode and identity, written once. */
export const identityKey = recordKey(identityKind, 0);

/** The current catalog. */
export const catalogKey = recordKey(catalogKind, 0);

/** The revision record of a version; versions order the keys. */
export function revisionKey(version: number): Uint8Array {
  const key = recordKey(revisionKind, 8);
  const view = new DataView(key.buffer);
  view.setUint32(2, Math.floor(version / 0x1_0000_0000));
  view.setUint32(6, version % 0x1_0000_0000);
  return key;
}

/** All revision records. */
export const revisionRange: KeyRange = prefixRange(recordKey(revisionKind, 0));

/** The high-water mark of an `increment` column. */
export function incrementMarkKey(
  table: { readonly physicalId: number },
  column: { readonly id: number },
): Uint8Array {
  const key = recordKey(markKind, 8);
  const view = new DataView(key.buffer);
  view.setUint32(2, table.physicalId);
  view.setUint32(6, column.id);
  return key;
}

function recordKey(kind: number, more: number): Uint8Array<ArrayBuffer> {
  const key = new Uint8Array(2 + more);
  key[0] = keySpaces.catalog;
  key[1] = kind;
  return key;
}
