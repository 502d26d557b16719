/** The common type of several values, as of the results of CASE or the columns of UNION. */

import { plainTypeText, sqlTypes } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { canCoerce, categoryOf } from './coerce.ts';
import { type Compilation, isTyped, type Operand } from './compilation.ts';
import { bare } from './operators.ts';

/** Types that PostgreSQL prefers within their categories. */
const preferred: ReadonlySet<string> = new Set(['text', 'bool', 'float8', 'oid', 'timestamptz']);

/** Returns the type to which all operands are converted. Throws if PostgreSQL finds none. */
export function commonTypeOf(
  compilation: Compilation,
  operands: readonly Operand[],
  construct: string,
  location: number | undefined,
): SqlType {
  const types = operands.flatMap((operand) => (isTyped(operand) ? [operand.type] : []));
  const [first, ...others] = types;
  if (first === undefined) return sqlTypes.text;
  if (types.every((type) => type.oid === first.oid && type.format === first.format)) {
    return types.every((type) => type.modifier === first.modifier) ? first : bare(first);
  }
  let common = first;
  for (const type of others) {
    if (type.oid === common.oid) continue;
    if (categoryOf(type) !== categoryOf(common) || categoryOf(type) === 'other') {
      const message = `${construct} types ${plainTypeText(common)} and ${plainTypeText(type)} cannot be matched`;
      throw compilation.error('42804', message, location);
    }
    const isBetter = canCoerce(common, type, 'implicit') && !canCoerce(type, common, 'implicit');
    if (!preferred.has(common.name) && isBetter) common = type;
  }
  if (types.some((type) => type.format !== common.format)) {
    throw compilation.unsupported(`${construct} of identifiers and other text`, location);
  }
  return bare(common);
}
