/** Types by name, and settings of the text forms. */

import { type SqlType, typeByName } from '../../../src/sql/index.ts';

export function type(name: SqlType['name']): SqlType {
  const found = typeByName(name);
  if (found === undefined) throw new Error(`no type ${name}`);
  return found;
}

export const utc = { timeZone: 'UTC' } as const;
