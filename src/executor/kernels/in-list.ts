/** Compiles the test whether a value is one of many literals. */

import { type Datum, datumKeyOf, type IdentityKey, type ScalarType } from '#value';
import type { Vector } from '../batch/vector.ts';
import type { Kernel } from './kernel.ts';

/**
 * Returns a kernel that is TRUE for one of `members`. Otherwise, and for NULL, it has the value that equalities with each member would give:
 * UNKNOWN if the operand or a member is NULL, else FALSE.
 */
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

/** Returns the members without NULL, which equals nothing. If `keyOf` is absent, a value is its own key: a set treats -0 as 0, as `=` does. */
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
