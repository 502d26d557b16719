/** How values of a column come and go in TypeScript. */

import type { Code } from '../../../../clients/typescript/runtime/table-info.ts';
import type { ClientModel, ModelColumn, ModelTable } from '../../model/client-model.ts';
import type { Int64Mode, Target } from '../../target/target.ts';

export interface NativeColumn {
  /** In the metadata. */
  readonly code: Code;
  /** The type of values in results, without NULL. */
  readonly output: string;
  /** The type of values that are given, without NULL. */
  readonly input: string;
  /** The type of the expression, with NULL. */
  readonly expression: string;
  /** The label of the column where the code does not tell it. */
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
    // On the wire the column is text: its order and its likeness are those of the text.
    return { ...common, expression: `svc.Expr<"text", ${nullable}>` };
  }
  // What a column is said to be, it is beside values too.
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

/** A column that holds identities is as the column is whose identities they are. */
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
