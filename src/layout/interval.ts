/** Converts intervals of values to ranges of keys. */

import { afterPrefix, ByteWriter, compareBytes, invariant } from '#base';
import { columnsOf, tupleFrom } from '#catalog';
import type { KeyRange } from '#storage';
import { appendKeyMember, type Scalar, type ScalarType } from '#value';
import type { EncodeInterval, IndexLayout, IntervalBound, TableLayout } from './layout.ts';

const scratch = new ByteWriter(256);
const typesOfLayout = new WeakMap<TableLayout | IndexLayout, readonly ScalarType[]>();

export const encodeInterval: EncodeInterval = (layout, prefix, lower, upper) => {
  if (lower?.value === null || upper?.value === null) return undefined;
  const types = typesOf(layout);
  invariant(prefix.length <= types.length, 'an interval has at most the members of its key');
  scratch.clear();
  scratch.append(layout.range.from, 0, tupleFrom);
  for (let i = 0; i < prefix.length; i++) {
    appendKeyMember(scratch, types[i] as ScalarType, prefix[i] as Scalar);
  }
  if (lower === undefined && upper === undefined) return startingWith(scratch.take());
  const type = types[prefix.length];
  invariant(type !== undefined, 'a bounded member belongs to the key');
  return between(type, lower, upper);
};

/** Returns the range between the bounds. `scratch` contains the common prefix of its keys. */
function between(
  type: ScalarType,
  lower: IntervalBound | undefined,
  upper: IntervalBound | undefined,
): KeyRange | undefined {
  const { length } = scratch;
  // Without a lower bound the range starts after NULL, which satisfies no comparison.
  const from = edge(type, lower?.value ?? null, lower === undefined || !lower.inclusive);
  scratch.length = length;
  const to =
    upper === undefined ? afterPrefix(scratch.peek()) : edge(type, upper.value, upper.inclusive);
  if (to !== undefined && compareBytes(from, to) >= 0) return undefined;
  return { from, to };
}

/** Returns the start of the keys whose next member is `value`, or, with `isAfter`, their end. */
function edge(type: ScalarType, value: Scalar, isAfter: boolean): Uint8Array {
  appendKeyMember(scratch, type, value);
  const first = scratch.take();
  return isAfter ? (afterPrefix(first) as Uint8Array) : first;
}

function startingWith(prefix: Uint8Array): KeyRange {
  return { from: prefix, to: afterPrefix(prefix) };
}

function typesOf(layout: TableLayout | IndexLayout): readonly ScalarType[] {
  let types = typesOfLayout.get(layout);
  if (types === undefined) {
    const ids = 'index' in layout ? layout.index.columns : layout.table.primaryKey;
    types = columnsOf(layout.table, ids).map((column) => column.type);
    typesOfLayout.set(layout, types);
  }
  return types;
}
