/** Converts column definitions to column records. */

import { fail } from '#failure';
import { type IdentifierFormat, identifierFormats, type ScalarType, scalarTypes } from '#value';
import type { ColumnDefinition } from '../definition.ts';
import type { Column } from '../table-parts.ts';
import { checkDefault } from './default.ts';
import { requireName } from './name.ts';

interface ColumnIdentity {
  readonly id: number;
  readonly physicalId: number;
}

/** Checks a definition by itself. The caller adds the ids of the record. */
export function checkColumn(definition: ColumnDefinition): Omit<Column, keyof ColumnIdentity> {
  const { name, type, format } = definition;
  requireName(name, 'column');
  if (!scalarTypes.includes(type))
    throw fail('invalid', `column "${name}": unknown type "${type}"`);
  if (format !== undefined) requireName(format, 'format');
  const identifierFormat = identifierFormatOf(type, format);
  return {
    name,
    type,
    nullable: definition.nullable ?? false,
    format,
    identifierFormat,
    default:
      definition.default &&
      checkDefault({ name, type, identifierFormat }, definition.default, 'schema_violation'),
    missing: null,
  };
}

/** Returns the identifier format of a column. A format has a meaning only on bytes columns. */
export function identifierFormatOf(
  type: ScalarType,
  format: string | undefined,
): IdentifierFormat | undefined {
  if (type !== 'bytes') return undefined;
  return identifierFormats.find((known) => known === format);
}
