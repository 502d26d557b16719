/** Estimates the memory that a value retains from its structure. For values that are built once and retained, such as plans. */

const objectBytes = 48;
const slotBytes = 16;
const charBytes = 2;

/** Returns the estimate in bytes. `shared` contains the names of members whose values are retained anyway. */
export function retainedSize(value: unknown, shared: ReadonlySet<string>): number {
  let bytes = 0;
  const seen = new Set<object>();
  const open: unknown[] = [value];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next === 'function') bytes += objectBytes;
    if (typeof next === 'string') bytes += charBytes * next.length;
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    bytes += objectBytes;
    for (const [name, member] of membersOf(next)) {
      bytes += slotBytes;
      if (!shared.has(name)) open.push(member);
    }
  }
  return bytes;
}

function membersOf(value: object): Iterable<readonly [string, unknown]> {
  if (value instanceof Map)
    return [...value].flatMap(([key, item]) => [['key', key] as const, ['item', item] as const]);
  if (value instanceof Set) return [...value].map((item) => ['item', item] as const);
  return Object.entries(value);
}
