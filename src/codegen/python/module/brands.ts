/** Identifiers with types of their own, where the configuration wants them. */

import { bareType, brandOf } from './column-type.ts';
import type { Context } from './context.ts';
import { quoted } from './python-text.ts';

/** Names with the types below them; none where identifiers are plain. */
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
