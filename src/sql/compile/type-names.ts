/** Types in statements: `int`, `varchar(20)`, `text[]`. */

import type { TypeName } from 'libpg-query';
import { arrayOf, typeByName, withModifier } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import type { Compilation } from './compilation.ts';
import { nameParts } from './nodes.ts';

/** Types of PostgreSQL that svc does not have. An unknown name is an error of its own. */
const missingTypes: ReadonlySet<string> = new Set([
  'numeric',
  'interval',
  'time',
  'timetz',
  'money',
  'bit',
  'varbit',
  'xml',
  'inet',
  'cidr',
  'macaddr',
  'point',
  'box',
  'path',
  'polygon',
  'circle',
  'tsvector',
  'tsquery',
  'regclass',
  'regtype',
  'regproc',
  'regnamespace',
  'hstore',
  'char',
]);

/** Returns the type that a cast or a column names. */
export function typeOf(compilation: Compilation, name: TypeName): SqlType {
  const parts = nameParts(name.names);
  const last = parts.at(-1) ?? '';
  const { location } = name;
  if (missingTypes.has(last)) {
    const hint =
      last === 'numeric' ? 'Use bigint for exact numbers and double precision for others.' : '';
    throw compilation.unsupported(`type ${last}`, location, hint);
  }
  const isForeign = parts.length > 1 && parts[0] !== 'pg_catalog';
  const found = isForeign || last === 'unknown' || last === 'void' ? undefined : typeByName(last);
  if (found === undefined) {
    throw compilation.error('42704', `type "${parts.join('.')}" does not exist`, location);
  }
  const type = withModifier(found, modifierOf(compilation, found, name));
  if (name.arrayBounds === undefined) return type;
  const array = arrayOf(type);
  if (array === undefined) throw compilation.unsupported(`an array of ${last}`, location);
  return array;
}

function modifierOf(compilation: Compilation, type: SqlType, name: TypeName): number {
  const [first] = name.typmods ?? [];
  if (first === undefined) return -1;
  const constant = 'A_Const' in first ? first.A_Const.ival : undefined;
  if (constant === undefined)
    throw compilation.error('42601', 'invalid type modifier', name.location);
  const digits = constant.ival ?? 0;
  switch (type.name) {
    case 'varchar':
    case 'bpchar':
      if (digits > 0) return digits + 4;
      throw compilation.error(
        '22023',
        `length for type ${type.name === 'varchar' ? 'varchar' : 'char'} must be at least 1`,
        name.location,
      );
    case 'timestamp':
    case 'timestamptz':
      return Math.min(digits, 6);
    default:
      throw compilation.error(
        '42601',
        `type modifier is not allowed for type "${type.name}"`,
        name.location,
      );
  }
}
