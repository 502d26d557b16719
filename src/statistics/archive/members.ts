/** Checked access to the JSON members of records. A member of the wrong type makes the whole record malformed. */

export class Malformed extends Error {}

export type Members = Readonly<Record<string, unknown>>;

export function membersOf(found: unknown): Members {
  if (found === null || typeof found !== 'object') throw new Malformed();
  return found as Members;
}

export function list(found: unknown): readonly unknown[] {
  if (!Array.isArray(found)) throw new Malformed();
  return found;
}

export function number(found: unknown): number {
  if (typeof found !== 'number' || !Number.isFinite(found) || found < 0) throw new Malformed();
  return found;
}

export function count(found: unknown): number {
  if (!Number.isSafeInteger(number(found))) throw new Malformed();
  return found as number;
}

export function text(found: unknown): string {
  if (typeof found !== 'string') throw new Malformed();
  return found;
}

export function truth(found: unknown): boolean {
  if (typeof found !== 'boolean') throw new Malformed();
  return found;
}
