/** A number of rows to skip or take: a constant of the plan, or a parameter that each run supplies. */

/** A row count. `value` is its value at planning time. The plan is equally good for all values of the same class (`ParameterSource`). */
export type RowCount =
  | number
  | { readonly kind: 'parameter'; readonly index: number; readonly value: number }
  | {
      readonly kind: 'sum' | 'least';
      readonly of: readonly [RowCount, RowCount];
      readonly value: number;
    };

export function plannedCount(count: RowCount): number {
  return typeof count === 'number' ? count : count.value;
}

/** Returns the count for these parameters of a program. */
export function countAt(count: RowCount, parameters: readonly unknown[]): number {
  if (typeof count === 'number') return count;
  if (count.kind === 'parameter') return parameters[count.index] as number;
  const [one, other] = count.of;
  const [left, right] = [countAt(one, parameters), countAt(other, parameters)];
  return count.kind === 'sum' ? left + right : Math.min(left, right);
}

export function sumOf(one: RowCount, other: RowCount): RowCount {
  const value = plannedCount(one) + plannedCount(other);
  if (typeof one === 'number' && typeof other === 'number') return value;
  if (one === 0 || other === 0) return one === 0 ? other : one;
  return { kind: 'sum', of: [one, other], value };
}

/** Returns the smaller count. `undefined` means that there is no bound. */
export function leastOf(
  one: RowCount | undefined,
  other: RowCount | undefined,
): RowCount | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const value = Math.min(plannedCount(one), plannedCount(other));
  if (typeof one === 'number' && typeof other === 'number') return value;
  return { kind: 'least', of: [one, other], value };
}
