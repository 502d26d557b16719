/** JSON pointers (RFC 6901) into submitted documents. */

export type Path = readonly (string | number)[];

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

interface Place {
  readonly value: unknown;
  readonly step: string;
  readonly parent: Place | undefined;
}

/**
 * The pointer of the very object `part` (by identity) within `document`; undefined when it is not in there. A search through
 * the document: meant for the one error of a request, so that walkers need not carry pointers along.
 */
export function locate(document: unknown, part: object): string | undefined {
  const open: Place[] = [{ value: document, step: '', parent: undefined }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.value === part) return pointerOf(stepsTo(place));
    if (typeof place.value !== 'object' || place.value === null) continue;
    const entries = Object.entries(place.value);
    for (let i = entries.length - 1; i >= 0; i--) {
      const [step, value] = entries[i] as [string, unknown];
      open.push({ value, step, parent: place });
    }
  }
  return undefined;
}

function stepsTo(place: Place): string[] {
  const steps: string[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) steps.push(at.step);
  return steps.reverse();
}
