/** Emits the classes of a table: its rows, the input of new and changed rows, its keys and its columns. */

import type { ModelColumn, ModelRelation, ModelTable } from '../../model/client-model.ts';
import { type ColumnType, columnType, expressionType, nullable } from './column-type.ts';
import type { Context } from './context.ts';
import type { TableNames } from './names.ts';
import { block, told } from './python-text.ts';

interface Shown {
  readonly column: ModelColumn;
  readonly name: string;
  readonly type: ColumnType;
}

export function emitClasses(context: Context, at: number): readonly string[] {
  const { model, target, names } = context;
  const table = model.tables[at] as ModelTable;
  const own = names[at] as TableNames;
  const shown = table.columns.map(
    (column, i): Shown => ({
      column,
      name: own.columns[i] as string,
      type: columnType(model, target, names, column),
    }),
  );
  const relations = table.relations.map(
    (relation, i) => `${own.relations[i]}: ${relationType(names, relation)}`,
  );
  const { type } = own;
  return [
    ...rowClass(type, target.rows === 'dict', table, shown),
    ...newClass(type, shown),
    ...patchClass(type, table, shown),
    ...keyClasses(type, table, shown),
    ...block([`class ${type}Cols(svc.Columns):`], [...columns(shown, false), ...relations]),
    ...block([`class ${type}Outer(svc.Columns):`], columns(shown, true)),
  ];
}

const nativeOf = ({ column, type }: Shown) => nullable(type.native, column.nullable);

function rowClass(
  type: string,
  isDict: boolean,
  table: ModelTable,
  shown: readonly Shown[],
): readonly string[] {
  const head = isDict
    ? [`class ${type}(TypedDict):`]
    : ['@dataclass(frozen=True, slots=True)', `class ${type}:`];
  const fields = shown.map((one) => `${one.name}: ${nativeOf(one)}`);
  return block(head, [`"""A row of ${told(table.name)}."""`, '', ...fields]);
}

function newClass(type: string, shown: readonly Shown[]): readonly string[] {
  const fields = shown.map((one) => {
    const isFree = one.column.nullable || one.column.hasDefault;
    return `${one.name}: ${isFree ? `NotRequired[${nativeOf(one)}]` : nativeOf(one)}`;
  });
  return block([`class ${type}New(TypedDict):`], fields);
}

function patchClass(
  type: string,
  { keys: [primary = []] }: ModelTable,
  shown: readonly Shown[],
): readonly string[] {
  const fields = shown
    .filter((_, i) => !primary.includes(i))
    .map((one) => {
      const expression = expressionType(one.type, one.column.nullable);
      return `${one.name}: ${nativeOf(one)} | ${expression}`;
    });
  return block([`class ${type}Patch(TypedDict, total=False):`], fields);
}

/** Emits the classes of the primary key and of each unique index. */
function keyClasses(
  type: string,
  { keys }: ModelTable,
  shown: readonly Shown[],
): readonly string[] {
  return keys.flatMap((key, i) => {
    const fields = key.map((position) => {
      const { name, type: of } = shown[position] as Shown;
      return `${name}: ${of.native} | ${expressionType(of, false).replace(/[^[, ]+\]$/, 'Any]')}`;
    });
    return block([`class ${type}${i === 0 ? 'Key' : `Unique${i}`}(TypedDict):`], fields);
  });
}

/** Returns the declarations of columns. With `isOuter`, None is also a value of each column, because the row may be missing. */
function columns(shown: readonly Shown[], isOuter: boolean): readonly string[] {
  return shown.map(
    ({ column, name, type }) => `${name}: ${expressionType(type, column.nullable || isOuter)}`,
  );
}

function relationType(names: readonly TableNames[], { kind, table }: ModelRelation): string {
  const { type } = names[table] as TableNames;
  if (kind === 'many') return `svc.TableRows[${type}, ${type}Cols, ${type}Outer]`;
  const row = kind === 'one' ? `One[${type}` : `Maybe[${type} | None`;
  return `svc.${row}, ${type}Cols]`;
}
