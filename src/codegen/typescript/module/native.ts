/** The TypeScript types of column values. */

import type { Code } from '../../../../clients/typescript/runtime/table-info.ts';
import type { ClientModel, ModelColumn, ModelTable } from '../../model/client-model.ts';
import type { Int64Mode, Target } from '../../target/target.ts';

export interface NativeColumn {
  /** Code of the type in the metadata. */
  readonly code: Code;
  /** The type of values in results, without NULL. */
  readonly output: string;
  /** The type of values in inputs, without NULL. */
  readonly input: string;
  /** The type of the expression, with NULL. */
  readonly expression: string;
  /** The format of the column, if the code does not imply it. */
  readonly format: string | undefined;
}

export function nativeOf(
  model: ClientModel,
  table: ModelTable,
  column: ModelColumn,
  target: Target,
  typeOf: (table: number) => string,
): NativeColumn {
  const rule = target.columns.get(`${table.name}.${column.name}`)?.value ?? {};
  const base = baseOf(model, table, column, target);
  const { identity } = column;
  const isBranded = target.ids === 'branded' && identity !== undefined && rule.type === undefined;
  const id = isBranded
    ? `svc.Id<${JSON.stringify(typeOf(identity.table))}, ${base.output}>`
    : undefined;
  const code = rule.json === undefined ? base.code : 'j';
  const own = rule.type ?? rule.json ?? id;
  const output = own ?? base.output;
  const nullable = column.nullable ? `${output} | null` : output;
  const format = column.format === formats[code] ? undefined : column.format;
  const common = { code, output, input: own ?? base.input, format };
  if (rule.json !== undefined) {
    // On the wire the column is text, so it is ordered and matched as text.
    return { ...common, expression: `svc.Expr<"text", ${nullable}>` };
  }
  // A configured type also applies to values that are compared with the column.
  const beside = rule.type === undefined ? '' : `, ${output}`;
  if (id === undefined) return { ...common, expression: `svc.${base.kind}<${nullable}${beside}>` };
  return { ...common, expression: `svc.Identity<"${column.type}", ${output}, ${nullable}>` };
}

const formats: Readonly<Partial<Record<Code, string>>> = {
  u: 'uuid',
  l: 'ulid',
  d: 'xid',
  D: 'unix_ms',
};

interface Base {
  readonly code: Code;
  readonly kind: 'Text' | 'Int' | 'Float' | 'Bool' | 'Bytes';
  readonly output: string;
  readonly input: string;
}

const ids = { uuid: 'u', ulid: 'l', xid: 'd' } as const;

const integers: Readonly<Record<Int64Mode | 'date', Base>> = {
  bigint: { code: 'i', kind: 'Int', output: 'bigint', input: 'number | bigint' },
  number: { code: 'n', kind: 'Int', output: 'number', input: 'number | bigint' },
  string: { code: 's', kind: 'Int', output: 'string', input: 'string | number | bigint' },
  date: { code: 'D', kind: 'Int', output: 'Date', input: 'Date | number' },
};

function baseOf(model: ClientModel, table: ModelTable, column: ModelColumn, target: Target): Base {
  switch (column.type) {
    case 'text':
      return { code: 't', kind: 'Text', output: 'string', input: 'string' };
    case 'bool':
      return { code: 'b', kind: 'Bool', output: 'boolean', input: 'boolean' };
    case 'float64':
      return { code: 'f', kind: 'Float', output: 'number', input: 'number' };
    case 'bytes':
      return column.identifierFormat === undefined
        ? { code: 'x', kind: 'Bytes', output: 'Uint8Array', input: 'Uint8Array' }
        : { code: ids[column.identifierFormat], kind: 'Bytes', output: 'string', input: 'string' };
    case 'int64':
      return integers[modeOf(model, table, column, target)];
  }
}

/** Returns the int64 mode of a column. A column that contains identities has the mode of the column that they identify. */
function modeOf(
  model: ClientModel,
  table: ModelTable,
  column: ModelColumn,
  target: Target,
): Int64Mode | 'date' {
  const rule = target.columns.get(`${table.name}.${column.name}`)?.value.int64;
  if (rule !== undefined) return rule;
  const origin = model.tables[column.identity?.table ?? -1];
  const identity = origin?.columns[column.identity?.column ?? -1];
  if (origin !== undefined && identity !== undefined && identity !== column)
    return modeOf(model, origin, identity, target);
  if (column.format === 'unix_ms') return target.unixMs === 'native' ? 'date' : 'number';
  return column.isCounted ? 'number' : target.int64;
}
