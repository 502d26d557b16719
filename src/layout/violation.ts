/**
 * Violations: what a transition has found that must be gone before it can be published (docs/storage-format.md, Keys). A range a
 * transition, named by the physical id of what it makes.
 *
 * Of a column or a constraint they are rows, by primary key. Of a unique index in the making they are *claims*: the rows after the first
 * one of a tuple, which has the entry; their keys are the tuple and the primary key.
 */

import { afterPrefix, ByteWriter } from '#base';
import type { Table } from '#catalog';
import { keyPrefix, keySpaces, prefixRange, tupleFrom } from '#catalog';
import type { KeyRange } from '#storage';

export function violationRange(physicalId: number): KeyRange {
  return prefixRange(keyPrefix(keySpaces.violation, physicalId));
}

/** The violation of a row. */
export function rowViolationKey(physicalId: number, rowKey: Uint8Array): Uint8Array {
  return concatenated(physicalId, rowKey.subarray(tupleFrom));
}

/** The key of the row of `table` that has the violation. */
export function rowKeyOfViolation(table: Table, violation: Uint8Array): Uint8Array {
  const writer = new ByteWriter(64);
  writer.append(keyPrefix(keySpaces.row, table.physicalId));
  writer.append(violation, tupleFrom);
  return writer.take();
}

/** The claim of a row on the entry that it would have if it were the first. */
export function claimKey(physicalId: number, entry: Entry): Uint8Array {
  return concatenated(physicalId, entry.key.subarray(tupleFrom), entry.value);
}

/** All claims on the entry with this key. */
export function claimRange(physicalId: number, entryKey: Uint8Array): KeyRange {
  const from = concatenated(physicalId, entryKey.subarray(tupleFrom));
  return { from, to: afterPrefix(from) };
}

/** The value that the entry gets when the claim takes it: the primary-key tuple. */
export function valueOfClaim(claim: Uint8Array, entryKey: Uint8Array): Uint8Array {
  return claim.slice(entryKey.length);
}

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

function concatenated(physicalId: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter(64);
  writer.append(keyPrefix(keySpaces.violation, physicalId));
  for (const part of parts) writer.append(part);
  return writer.take();
}
