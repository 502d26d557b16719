/** Emits the schema metadata for the runtime, and the variables that applications start from. */

import type { ModelColumn, ModelTable } from '../../model/client-model.ts';
import { columnType } from './column-type.ts';
import type { Context } from './context.ts';
import type { TableNames } from './names.ts';
import { quoted } from './python-text.ts';

const list = (positions: readonly number[]) => `[${positions.join(', ')}]`;

export function emitMetadata({ model, target, names }: Context, at: number): readonly string[] {
  const table = model.tables[at] as ModelTable;
  const own = names[at] as TableNames;
  const columns = table.columns.map((column, i) => {
    const { code } = columnType(model, target, names, column);
    const isTold = { u: 'uuid', l: 'ulid', d: 'xid', D: 'unix_ms' }[code] === column.format;
    const format = column.format === undefined || isTold ? '' : `, ${quoted(column.format)}`;
    const flags = [column.nullable, column.hasDefault].map((flag) => (flag ? 'True' : 'False'));
    const name = own.columns[i] as string;
    return `        (${quoted(column.name)}, ${quoted(name)}, ${quoted(code)}, ${flags.join(', ')}${format}),`;
  });
  const relations = table.relations.map((relation, i) => {
    const { table: to, own: mine, theirs, kind, through } = relation;
    const between =
      through === undefined
        ? ''
        : `, (${through.table}, ${list(through.own)}, ${list(through.theirs)})`;
    const name = own.relations[i] as string;
    return `        (${quoted(name)}, ${to}, ${list(mine)}, ${list(theirs)}, ${quoted(kind)}${between}),`;
  });
  return [
    `    (${quoted(table.name)}, ${own.type}, [`,
    ...columns,
    `    ], [${table.keys.map(list).join(', ')}], [`,
    ...relations,
    '    ]),',
  ];
}

/** Returns the variable of a table with its type parameters. */
export function emitVariable({ model, target, names }: Context, at: number): string {
  const table = model.tables[at] as ModelTable;
  const { type, variable: name } = names[at] as TableNames;
  const [primary = []] = table.keys;
  const [only] = primary;
  const single =
    primary.length === 1
      ? columnType(model, target, names, table.columns[only as number] as ModelColumn).native
      : undefined;
  const key = single === undefined ? `${type}Key` : `${single} | ${type}Key`;
  const unique = [`${type}Key`, ...table.keys.slice(1).map((_, i) => `${type}Unique${i + 1}`)];
  const kinds = [type, `${type}Cols`, `${type}Outer`, `${type}New`, `${type}Patch`, key];
  return `${name}: svc.Table[${kinds.join(', ')}, ${unique.join(' | ')}] = svc.Table(_schema, ${at})`;
}
