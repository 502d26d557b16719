/** Columns of output rows: their observable form, and the search for repeated names. */

import type { OutputColumn } from '#value';
import type { BoundOutput } from './bound.ts';

export function outputOf(columns: readonly BoundOutput[]): readonly OutputColumn[] {
  return columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
}

/** The first name that an earlier column has too. */
export function duplicateName(columns: readonly { readonly name: string }[]): string | undefined {
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name)) return name;
    names.add(name);
  }
  return undefined;
}
