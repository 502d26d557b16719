/** Columns of output rows: their visible form, and the search for duplicate names. */

import type { OutputColumn } from '#value';
import type { BoundOutput } from './bound.ts';

export function outputOf(columns: readonly BoundOutput[]): readonly OutputColumn[] {
  return columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
}

/** Returns the first name that an earlier column has too; `undefined` if all names are unique. */
export function duplicateName(columns: readonly { readonly name: string }[]): string | undefined {
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name)) return name;
    names.add(name);
  }
  return undefined;
}
