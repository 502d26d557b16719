/** Types in expressions: `int`, `varchar(20)`, `text[]`. */

import type { TypeName } from 'libpg-query';
import type { SqlType } from '../types/sql-type.ts';
import { typeOfName } from '../types/type-of-name.ts';
import type { Compilation } from './compilation.ts';

/** Returns the type that a cast names. */
export function typeOf(compilation: Compilation, name: TypeName): SqlType {
  const type = typeOfName(name, compilation.input.text);
  const element = type.element ?? type;
  if (element.name === 'numeric' || element.name === 'interval') {
    const hint =
      element.name === 'numeric'
        ? 'Use bigint for exact numbers and double precision for others.'
        : 'Compute with timestamps in the application.';
    throw compilation.unsupported(`type ${element.name}`, name.location, hint);
  }
  if (element.name === 'unknown' || element.name === 'void') {
    throw compilation.unsupported(`a cast to ${element.name}`, name.location);
  }
  return type;
}
