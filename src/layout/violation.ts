/**
 * Violations: rows that must be corrected before a transition can be published (docs/storage-format.md, Keys). Each transition has a range
 * of them, identified by the physical id of the object that it creates.
 *
 * For a column or a constraint, violations are rows by primary key. For a unique index that is being built they are *claims*: the rows
 * after the first one of a tuple, which has the index entry. Their keys consist of the tuple and the primary key.
 */

import { afterPrefix, ByteWriter } from '#base';
import type { Table } from '#catalog';
import { keyPrefix, keySpaces, prefixRange, tupleFrom } from '#catalog';
import type { KeyRange } from '#storage';

export function violationRange(physicalId: number): KeyRange {
  return prefixRange(keyPrefix(keySpaces.violation, physicalId));
}

/** Returns the key of the violation of a row. */
export function rowViolationKey(physicalId: number, rowKey: Uint8Array): Uint8Array {
  return concatenated(physicalId, rowKey.subarray(tupleFrom));
}

/** Returns the key of the row of `table` that has the violation. */
export function rowKeyOfViolation(table: Table, violation: Uint8Array): Uint8Array {
  const writer = new ByteWriter(64);
  writer.append(keyPrefix(keySpaces.row, table.physicalId));
  writer.append(violation, tupleFrom);
  return writer.take();
}

/** Returns the key of a row's claim on the entry that it would have if it were the first. */
export function claimKey(physicalId: number, entry: Entry): Uint8Array {
  return concatenated(physicalId, entry.key.subarray(tupleFrom), entry.value);
}

/** Returns the range of all claims on the entry with this key. */
export function claimRange(physicalId: number, entryKey: Uint8Array): KeyRange {
  const from = concatenated(physicalId, entryKey.subarray(tupleFrom));
  return { from, to: afterPrefix(from) };
}

/** Returns the value of the entry after the claim takes it over: the primary-key tuple. */
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
