/** The order in which a plan delivers its rows, and the test whether that order makes a sort unnecessary. */

export interface OrderKey {
  /** Column id. */
  readonly id: number;
  readonly descending: boolean;
  /** Columns that have the same value in all rows, such as the key of the other side of a join; absent if there are none. */
  readonly same?: readonly number[];
}

/** Returns whether the column is the key or always has its value. */
export function isKeyColumn({ id, same }: OrderKey, column: number): boolean {
  return id === column || same?.includes(column) === true;
}

export interface Ordering {
  readonly keys: readonly OrderKey[];
  /** Columns that have one value in all rows. */
  readonly constants: ReadonlySet<number>;
  /** After this many keys no two rows are equal; `undefined` if rows may tie in all keys. */
  readonly totalAfter: number | undefined;
}

export const unordered: Ordering = { keys: [], constants: new Set(), totalAfter: undefined };

/** Returns whether rows in `ordering` are also in the order of `wanted`. */
export function satisfies(ordering: Ordering, wanted: readonly OrderKey[]): boolean {
  return leadingKeys(ordering, wanted) === wanted.length;
}

/** Returns how many leading keys of `wanted` the order of `ordering` satisfies. */
export function leadingKeys(ordering: Ordering, wanted: readonly OrderKey[]): number {
  const { keys, constants, totalAfter } = ordering;
  let used = 0;
  for (let i = 0; i < wanted.length; i++) {
    const want = wanted[i] as OrderKey;
    if (constants.has(want.id)) continue;
    while (used < keys.length && constants.has((keys[used] as OrderKey).id)) used++;
    if (totalAfter !== undefined && used >= totalAfter) return wanted.length;
    const key = keys[used];
    if (key === undefined || !isKeyColumn(key, want.id)) return i;
    if (key.descending !== want.descending) return i;
    used++;
  }
  return wanted.length;
}

/** Returns the ordering with renamed column ids. The result ends before the first key that has no new id, unless that key is constant. */
export function renameOrdering(
  { keys, constants, totalAfter }: Ordering,
  rename: (id: number) => number | undefined,
): Ordering {
  const renamed: OrderKey[] = [];
  for (const { id, descending, same = [] } of keys) {
    const [to, ...others] = [id, ...same].flatMap((column) => rename(column) ?? []);
    if (to === undefined && !constants.has(id)) break;
    renamed.push({ id: to ?? id, descending, ...(others.length > 0 && { same: others }) });
  }
  const stillConstant = [...constants].map((id) => rename(id) ?? id);
  const isTotal = totalAfter !== undefined && renamed.length >= totalAfter;
  return {
    keys: renamed,
    constants: new Set(stillConstant),
    totalAfter: isTotal ? totalAfter : undefined,
  };
}
