/** Whether a value is one of many literals. */

import { type Datum, datumKeyOf, type IdentityKey, type ScalarType } from '#value';
import type { Vector } from '../batch/vector.ts';
import type { Kernel } from './kernel.ts';

/** TRUE for one of `members`; else, and for NULL, as equalities of each with the value would have it: UNKNOWN beside a NULL. */
export function amongKernel(operand: Kernel, members: readonly Datum[], type: ScalarType): Kernel {
  const { evaluate, canFail } = operand;
  const keyOf = type === 'bytes' ? datumKeyOf({ kind: type }) : undefined;
  let set: Set<IdentityKey> | undefined;
  const out: Vector = [];
  const elsewhere = members.includes(null) ? null : false;
  return {
    constant: undefined,
    evaluate: (columns, selection, count) => {
      set ??= setOf(members, keyOf);
      const values = evaluate(columns, selection, count);
      for (let i = 0; i < count; i++) {
        const row = selection[i] as number;
        const value = values[row] as Datum;
        if (value === null) out[row] = null;
        else out[row] = set.has(keyOf?.(value) ?? (value as IdentityKey)) ? true : elsewhere;
      }
      return out;
    },
    select: (columns, selection, count, to) => {
      set ??= setOf(members, keyOf);
      const values = evaluate(columns, selection, count);
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = selection[i] as number;
        const value = values[row] as Datum;
        const isMember = set.has(keyOf === undefined ? (value as IdentityKey) : keyOf(value));
        to[kept] = row;
        kept = (kept + +isMember) | 0;
      }
      return kept;
    },
    canFail,
  };
}

/** Without NULL, which equals nothing. What has a key of its own type is its key: a set takes -0 for 0, as `=` does. */
function setOf(
  members: readonly Datum[],
  keyOf: ((datum: Datum) => IdentityKey) | undefined,
): Set<IdentityKey> {
  const set = new Set<IdentityKey>();
  for (const member of members) {
    if (member !== null) set.add(keyOf === undefined ? (member as IdentityKey) : keyOf(member));
  }
  return set;
}
