/** Keys of the catalog space (docs/storage-format.md, Catalog records). */

import type { KeyRange } from '#storage';
import { keySpaces, prefixRange } from './key-space.ts';

/** Kinds of catalog records, which are never renumbered. */
const identityKind = 0x01;
const catalogKind = 0x02;
const revisionKind = 0x03;
const markKind = 0x04;
const transitionKind = 0x05;
const reclamationKind = 0x06;
const sameRowsKind = 0x07;
const keysHeadKind = 0x08;
const apiKeyKind = 0x09;
const keyUseKind = 0x0a;

/** Key of the database's mode and identity, which are written once. */
export const identityKey = recordKey(identityKind, 0);

/** Key of the current catalog. */
export const catalogKey = recordKey(catalogKind, 0);

/** Returns the key of the revision record of a version. Keys sort by version. */
export function revisionKey(version: number): Uint8Array {
  const key = recordKey(revisionKind, 8);
  const view = new DataView(key.buffer);
  view.setUint32(2, Math.floor(version / 0x1_0000_0000));
  view.setUint32(6, version % 0x1_0000_0000);
  return key;
}

/** Range of all revision records. */
export const revisionRange: KeyRange = prefixRange(recordKey(revisionKind, 0));

/** Returns the key of the highest value that an `increment` column has contained. */
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

/** Returns the key of the record of a transition. Keys sort by id. */
export function transitionKey(id: number): Uint8Array {
  return numberedKey(transitionKind, id);
}

/** Range of all transition records. */
export const transitionRange: KeyRange = prefixRange(recordKey(transitionKind, 0));

/** Returns the key of the reclamation record of a physical id. */
export function reclamationKey(physicalId: number): Uint8Array {
  return numberedKey(reclamationKind, physicalId);
}

/** Range of all reclamation records. */
export const reclamationRange: KeyRange = prefixRange(recordKey(reclamationKind, 0));

/**
 * A commit writes this key, without a value, if it stores rows again with unchanged values. Query results and their entity tags then stay the same.
 */
export const sameRowsKey = recordKey(sameRowsKind, 0);

/** Key of the head of all API keys. */
export const keysHeadKey = recordKey(keysHeadKind, 0);

/** Returns the key of the record of an API key. The id is ASCII. */
export function apiKeyKey(id: string): Uint8Array {
  return namedKey(apiKeyKind, id);
}

/** Range of the records of all API keys. */
export const apiKeyRange: KeyRange = prefixRange(recordKey(apiKeyKind, 0));

/** Returns the key of the time at which an API key was last used. */
export function keyUseKey(id: string): Uint8Array {
  return namedKey(keyUseKind, id);
}

/** Range of the times at which API keys were last used. */
export const keyUseRange: KeyRange = prefixRange(recordKey(keyUseKind, 0));

/** Returns the id in the key of a record of an API key or of its last use. */
export function apiKeyIdIn(key: Uint8Array): string {
  return Buffer.from(key.subarray(2)).toString('latin1');
}

function namedKey(kind: number, id: string): Uint8Array {
  const key = recordKey(kind, id.length);
  key.set(Buffer.from(id, 'latin1'), 2);
  return key;
}

function numberedKey(kind: number, id: number): Uint8Array {
  const key = recordKey(kind, 4);
  new DataView(key.buffer).setUint32(2, id);
  return key;
}

function recordKey(kind: number, more: number): Uint8Array<ArrayBuffer> {
  const key = new Uint8Array(2 + more);
  key[0] = keySpaces.catalog;
  key[1] = kind;
  return key;
}
