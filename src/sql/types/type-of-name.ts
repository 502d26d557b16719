/** From the name of a type in a statement to the type. */

import type { Node, TypeName } from 'libpg-query';
import { positionOf } from '../parse/position.ts';
import { sqlError, unsupported } from '../sql-error.ts';
import { arrayOf, typeByName, withModifier } from './registry.ts';
import type { SqlType } from './sql-type.ts';

/** Types of PostgreSQL that svc does not have. */
const missingTypes = new Set(
  `char money time timetz bit varbit inet cidr macaddr macaddr8 xml tsvector tsquery point line lseg box path polygon circle
  regclass regtype regproc regprocedure regoper regoperator regrole regnamespace regconfig regdictionary xid xid8 cid tid
  pg_lsn pg_snapshot txid_snapshot jsonpath int4range int8range numrange tsrange tstzrange daterange int2vector oidvector
  refcursor record cstring aclitem`.split(/\s+/),
);
const lengthMaximum = 10_485_760;

/** Returns the type that a node names. `text` is the text of the message, for positions. */
export function typeOfName(node: TypeName, text: string): SqlType {
  const position = positionOf(text, node.location);
  const names = (node.names ?? []).map(nameIn);
  const type = plainType(names, position);
  if (node.setof) throw unsupported('SETOF', { position });
  if (node.pct_type) throw unsupported('%TYPE', { position });
  const modified = withModifier(type, modifierOf(type, node.typmods ?? [], position));
  if ((node.arrayBounds ?? []).length === 0) return modified;
  const array = modified.element ? modified : arrayOf(modified);
  if (array === undefined) throw unknownType(`${names.join('.')}[]`, position);
  return array;
}

function plainType(names: readonly string[], position: number | undefined): SqlType {
  const name = names.at(-1) ?? '';
  const isSystem = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  const type = isSystem ? typeByName(name) : undefined;
  if (type !== undefined) return type;
  if (isSystem && missingTypes.has(name)) throw unsupported(`the type ${name}`, { position });
  throw unknownType(names.join('.'), position);
}

function unknownType(name: string, position: number | undefined) {
  return sqlError('42704', `type "${name}" does not exist`, { position });
}

function nameIn(node: Node): string {
  return ('String' in node && node.String.sval) || '';
}

function modifierOf(type: SqlType, nodes: readonly Node[], position: number | undefined): number {
  if (nodes.length === 0) return -1;
  const name = (type.element ?? type).name;
  switch (name) {
    case 'varchar':
    case 'bpchar': {
      const [length = 0] = numbersIn(nodes, 1, name, position);
      const shown = name === 'bpchar' ? 'char' : name;
      if (length < 1) {
        throw sqlError('22023', `length for type ${shown} must be at least 1`, { position });
      }
      if (length > lengthMaximum) {
        throw sqlError('22023', `length for type ${shown} cannot exceed ${lengthMaximum}`, {
          position,
        });
      }
      return length + 4;
    }
    case 'timestamp':
    case 'timestamptz': {
      const [precision = 0] = numbersIn(nodes, 1, name, position);
      if (precision < 0) {
        throw sqlError(
          '22023',
          `${name.toUpperCase()}(${precision}) precision must not be negative`,
          { position },
        );
      }
      return Math.min(precision, 6);
    }
    case 'numeric':
      return numericModifierOf(numbersIn(nodes, 2, name, position), position);
    case 'interval':
      return -1;
    default:
      throw sqlError('42601', `type modifier is not allowed for type "${type.name}"`, { position });
  }
}

function numericModifierOf(
  [precision = 0, scale = 0]: readonly number[],
  position: number | undefined,
): number {
  if (precision < 1 || precision > 1000) {
    throw sqlError('22023', `NUMERIC precision ${precision} must be between 1 and 1000`, {
      position,
    });
  }
  if (scale < -1000 || scale > 1000) {
    throw sqlError('22023', `NUMERIC scale ${scale} must be between -1000 and 1000`, { position });
  }
  return ((precision << 16) | (scale & 0x7ff)) + 4;
}

function numbersIn(
  nodes: readonly Node[],
  countMax: number,
  name: string,
  position: number | undefined,
): readonly number[] {
  if (nodes.length > countMax) {
    throw sqlError('22023', `invalid ${name === 'numeric' ? 'NUMERIC ' : ''}type modifier`, {
      position,
    });
  }
  return nodes.map((node) => {
    const constant = 'A_Const' in node ? node.A_Const : undefined;
    if (constant?.ival) return constant.ival.ival ?? 0;
    throw sqlError('42601', 'type modifiers must be simple constants or identifiers', { position });
  });
}
