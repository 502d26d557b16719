/** The length of `varchar(n)` and `char(n)`. */

import { sqlError } from '../sql-error.ts';
import { lengthMax, typeText } from './registry.ts';
import type { SqlType } from './sql-type.ts';

/** Returns the text as a value of the type is stored. A cast cuts a text that is too long; otherwise only spaces are cut, and other characters throw. */
export function fitLength(type: SqlType, text: string, how: 'cast' | 'store'): string {
  const max = lengthMax(type);
  if (max === undefined || text.length <= max) return text;
  const characters = [...text];
  if (characters.length <= max) return text;
  if (how === 'store' && characters.slice(max).some((character) => character !== ' ')) {
    throw sqlError('22001', `value too long for type ${typeText(type)}`);
  }
  return characters.slice(0, max).join('');
}
