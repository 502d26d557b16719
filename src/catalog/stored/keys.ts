/** Keys of the catalog space (docs/storage-format.md, Catalog records). */

import type { KeyRange } from '#storage';
import { keySpaces, prefixRange } from './key-space.ts';

/** Kinds of catalog records; never renumbered. */
const identityKind = 0x01;
const catalogKind = 0x02;
const revisionKind = 0x03;
const markKind = 0x04;
const transitionKind = 0x05;
const reclamationKind = 0x06;
const sameRowsKind = 0x07;

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

/** The record of a transition; ids order the keys. */
export function transitionKey(id: number): Uint8Array {
  return numberedKey(transitionKind, id);
}

/** All transition records. */
export const transitionRange: KeyRange = prefixRange(recordKey(transitionKind, 0));

/** The record of a reclamation, by the physical id that it is about. */
export function reclamationKey(physicalId: number): Uint8Array {
  return numberedKey(reclamationKind, physicalId);
}

/** All reclamation records. */
export const reclamationRange: KeyRange = prefixRange(recordKey(reclamationKind, 0));

/**
 * Written by every commit that stores rows anew with the values that they have: the answers to queries stay what they were, and so do their entity tags.
 * Has no value.
 */
export const sameRowsKey = recordKey(sameRowsKind, 0);

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
