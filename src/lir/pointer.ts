/** JSON pointers (RFC 6901) into submitted documents. */

import { TextRows } from '#value';

type Path = readonly (string | number)[];

/** `['nodes', 'a/b', 0]` → `/nodes/a~1b/0`; the empty path is the empty pointer. */
export function pointerOf(path: Path): string {
  let pointer = '';
  for (const step of path) pointer += `/${escapeStep(step)}`;
  return pointer;
}

function escapeStep(step: string | number): string {
  if (typeof step === 'number') return String(step);
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** What `pointer` points at in `document`; undefined where it leads nowhere. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  if (pointer === '') return document;
  let value = document;
  for (const step of pointer.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** An array or object on the way to what is looked for, and which of its members is being looked at. */
interface Level {
  readonly value: object;
  /** Undefined for an array. */
  readonly names: readonly string[] | undefined;
  at: number;
}

/**
 * The pointer of the very object `part` (by identity) within `document`; undefined when it is not in there. A search through
 * the document: meant for the one error of a request, so that walkers need not carry pointers along.
 */
export function locate(document: unknown, part: object): string | undefined {
  if (document === part) return '';
  const open: Level[] = [];
  enter(open, document);
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { value, names } = level;
    const { length } = names ?? (value as readonly unknown[]);
    if (++level.at >= length) {
      open.pop();
      continue;
    }
    const step = names === undefined ? level.at : (names[level.at] as string);
    const member = (value as Record<string | number, unknown>)[step];
    if (member === part) return pointerOf(open.map(stepOf));
    enter(open, member);
  }
  return undefined;
}

function enter(open: Level[], value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof TextRows) return;
  // Rows come in hundred thousands: nothing is made for their cells.
  const isArray = Array.isArray(value);
  if (isArray && isFlat(value)) return;
  open.push({ value, names: isArray ? undefined : Object.keys(value), at: -1 });
}

function isFlat(values: readonly unknown[]): boolean {
  for (const value of values) if (typeof value === 'object' && value !== null) return false;
  return true;
}

function stepOf({ names, at }: Level): string | number {
  return names === undefined ? at : (names[at] as string);
}
