/** Emits separate types for identifiers, if the configuration requests them. */

import { bareType, brandOf } from './column-type.ts';
import type { Context } from './context.ts';
import { quoted } from './python-text.ts';

/** Returns the name of each identifier type with its underlying type. Returns an empty map if identifiers are plain. */
export function brandsOf({ model, names, target }: Context): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (target.ids !== 'branded') return found;
  for (const { columns } of model.tables) {
    for (const column of columns) {
      const name = brandOf(model, names, column);
      if (name !== undefined) found.set(name, bareType(column, target));
    }
  }
  return found;
}

export function emitBrands(context: Context): readonly string[] {
  return [...brandsOf(context)].map(
    ([name, type]) => `${name} = NewType(${quoted(name)}, ${type})`,
  );
}
