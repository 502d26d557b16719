/** Column defaults: the defaults that a column accepts (docs/pir.md §6), and the equality of defaults. */

import { equalBytes } from '#base';
import { fail, type Reason } from '#failure';
import { ByteString, type IdentifierFormat, parseDefaultLiteral, type ScalarType } from '#value';
import type { ColumnDefault, GeneratorFunction } from '../definition.ts';
import type { Default } from '../table-parts.ts';

interface DefaultTarget {
  readonly name: string;
  readonly type: ScalarType;
  readonly identifierFormat: IdentifierFormat | undefined;
}

/** Returns the default in checked form. `reason` is the reason of the error: `schema_violation` for a column definition, else `invalid`. */
export function checkDefault(
  target: DefaultTarget,
  definition: ColumnDefault,
  reason: Reason,
): Default {
  const { name, type, identifierFormat } = target;
  if (definition.kind === 'generator') {
    const { func } = definition;
    const wanted = generatorTargets[func];
    if (wanted.type === type && wanted.format === (wanted.format && identifierFormat)) {
      return { kind: 'generator', func };
    }
    const column =
      wanted.format === undefined ? 'an int64 column' : `a bytes column of format ${wanted.format}`;
    throw fail(reason, `column "${name}": default ${func} needs ${column}`);
  }
  const parsed = parseDefaultLiteral(definition.value, type, identifierFormat);
  if (parsed.kind === 'problem') throw fail(reason, `column "${name}": ${parsed.detail}`);
  return { kind: 'literal', value: parsed.value };
}

/** Returns whether two defaults are equal. -0.0 and 0.0 are different defaults. */
export function isSameDefault(left: Default | undefined, right: Default | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  if (left.kind === 'generator') return right.kind === 'generator' && left.func === right.func;
  if (right.kind === 'generator') return false;
  if (left.value instanceof ByteString && right.value instanceof ByteString) {
    return equalBytes(left.value.bytes, right.value.bytes);
  }
  return Object.is(left.value, right.value);
}

export function isIncrement(value: Default | undefined): boolean {
  return value?.kind === 'generator' && value.func === 'increment';
}

interface GeneratorTarget {
  readonly type: ScalarType;
  readonly format?: IdentifierFormat;
}

const generatorTargets: Readonly<Record<GeneratorFunction, GeneratorTarget>> = {
  uuid_v4: { type: 'bytes', format: 'uuid' },
  uuid_v7: { type: 'bytes', format: 'uuid' },
  ulid: { type: 'bytes', format: 'ulid' },
  xid: { type: 'bytes', format: 'xid' },
  now_ms: { type: 'int64' },
  increment: { type: 'int64' },
};
