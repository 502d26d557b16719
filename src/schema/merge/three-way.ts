/** Three-way merge of a value or a list that two sides may have changed since their common base. */

interface Choice<Value> {
  readonly value: Value;
  /** True if both sides changed the value differently; `value` is then theirs. */
  readonly isConflict: boolean;
}

export function choose<Value>(
  base: Value | undefined,
  ours: Value,
  theirs: Value,
  isSame: (left: Value, right: Value) => boolean = Object.is,
): Choice<Value> {
  if (isSame(ours, theirs)) return { value: theirs, isConflict: false };
  if (base !== undefined && isSame(base, ours)) return { value: theirs, isConflict: false };
  if (base !== undefined && isSame(base, theirs)) return { value: ours, isConflict: false };
  return { value: theirs, isConflict: true };
}

/** Merges lists whose members are added and deleted but never changed. Returns the members that both sides have and those that one side has added. */
export function chooseMembers<Member>(
  keyOf: (member: Member) => string,
  base: readonly Member[],
  ours: readonly Member[],
  theirs: readonly Member[],
): readonly Member[] {
  const inBase = new Set(base.map(keyOf));
  const inOurs = new Set(ours.map(keyOf));
  const inTheirs = new Set(theirs.map(keyOf));
  const stays = (key: string) => inOurs.has(key) === inTheirs.has(key) || !inBase.has(key);
  const kept = theirs.filter((member) => stays(keyOf(member)));
  const added = ours.filter((member) => !inTheirs.has(keyOf(member)) && stays(keyOf(member)));
  return [...kept, ...added];
}
