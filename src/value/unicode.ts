/** Well-formed Unicode: text never contains a lone surrogate (docs/lir.md §2). */

/** Returns whether every string in a JSON value, including member names, is well-formed. */
export function isWellFormedDeep(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormedDeep);
  return Object.entries(value).every(
    ([name, member]) => name.isWellFormed() && isWellFormedDeep(member),
  );
}
