/** One value that two sides may have changed since they had the same. */

interface Choice<Value> {
  readonly value: Value;
  /** Both sides changed the value, each to something else; `value` is theirs. */
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

/** What is left of a list whose entries come and go as wholes: what both have, and what one side added. */
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
