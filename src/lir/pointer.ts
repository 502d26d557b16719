/** JSON pointers (RFC 6901) into submitted documents. */

import { TextRows } from '#value';

type Path = readonly (string | number)[];

/** Returns for example `/nodes/a~1b/0` for `['nodes', 'a/b', 0]`; the empty path gives the empty pointer. */
export function pointerOf(path: Path): string {
  let pointer = '';
  for (const step of path) pointer += `/${escapeStep(step)}`;
  return pointer;
}

function escapeStep(step: string | number): string {
  if (typeof step === 'number') return String(step);
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns the value in `document` to which `pointer` refers; undefined if there is none. */
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

/** An array or object on the path to the searched part, and the index of its current member. */
interface Level {
  readonly value: object;
  /** Names of the members of an object; `undefined` for an array. */
  readonly names: readonly string[] | undefined;
  at: number;
}

/**
 * Returns the pointer of the object `part` (by identity) within `document`; undefined if the document does not contain it. The function searches
 * the whole document. Only the one error of a request needs it, so that walkers need not maintain pointers.
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
  // A document can have hundreds of thousands of rows, so that no objects are created for their cells.
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
