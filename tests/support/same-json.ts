/** Structural equality of JSON values as the cases define it: exact integers, `-0.0` demands its sign, `1.0` equals `1`. */

export function isSameJson(actual: unknown, expected: unknown): boolean {
  if (typeof expected === 'number' && typeof actual === 'number')
    return Object.is(actual, expected);
  if (expected === null || typeof expected !== 'object') return actual === expected;
  if (actual === null || typeof actual !== 'object') return false;
  if (Array.isArray(expected) !== Array.isArray(actual)) return false;
  const keys = Object.keys(expected);
  if (keys.length !== Object.keys(actual).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(actual, key) &&
      isSameJson(
        (actual as Record<string, unknown>)[key],
        (expected as Record<string, unknown>)[key],
      ),
  );
}
