/** The order in which a plan delivers its rows, and whether it does the work of a sort. */

export interface OrderKey {
  /** Column id. */
  readonly id: number;
  readonly descending: boolean;
  /** Columns that have the same value in all rows, such as the key of the other side of a join; absent: none. */
  readonly same?: readonly number[];
}

/** Whether the column is the key, or always has its value. */
export function isKeyColumn({ id, same }: OrderKey, column: number): boolean {
  return id === column || same?.includes(column) === true;
}

export interface Ordering {
  readonly keys: readonly OrderKey[];
  /** Columns that have one value in all rows. */
  readonly constants: ReadonlySet<number>;
  /** After so many keys no two rows are equal; undefined when rows may tie in all of them. */
  readonly totalAfter: number | undefined;
}

export const unordered: Ordering = { keys: [], constants: new Set(), totalAfter: undefined };

/** Whether rows in `ordering` stand in the order of `wanted` too. */
export function satisfies(ordering: Ordering, wanted: readonly OrderKey[]): boolean {
  return leadingKeys(ordering, wanted) === wanted.length;
}

/** How many of the first keys of `wanted` rows in `ordering` stand in the order of. */
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

/** The ordering with columns under other ids; it ends where a key has none. */
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
