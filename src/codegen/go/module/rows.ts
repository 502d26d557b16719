/** Emits the rows of a table in Go: the descriptor for the runtime, the code that reads rows, and the code that writes new rows. */

import type { ModelColumn } from '../../model/client-model.ts';
import type { ColumnType } from './column-type.ts';
import { func, quoted, struct } from './go-text.ts';
import { shownAt, type TableParts } from './table-parts.ts';

export function emitRows(parts: TableParts): readonly string[] {
  const { row } = parts.names;
  const { shown, told } = parts;
  return [
    ...descriptor(parts),
    `// ${row} is a row of ${told}.`,
    ...struct(
      row,
      shown.map(({ column, name, type }) => [name, nullableType(type, column.nullable)]),
    ),
    ...reader(parts),
    `// ${row}New is a new row of ${told}. An omitted column gets its default, or NULL.`,
    ...struct(
      `${row}New`,
      shown.map(({ column, name, type }) => [name, newType(type, column)]),
    ),
    ...writer(parts),
  ];
}

const nullableType = ({ go }: ColumnType, isNullable: boolean) => (isNullable ? `Null[${go}]` : go);

function newType(type: ColumnType, { nullable, hasDefault }: ModelColumn): string {
  const native = nullableType(type, nullable);
  return hasDefault ? `Opt[${native}]` : native;
}

function descriptor({ table, names, info }: TableParts): readonly string[] {
  const keys = table.keys.map((key) => `{${key.join(', ')}}`).join(', ');
  const columns = table.columns.map(({ name }) => quoted(name)).join(', ');
  return [
    `var ${info} = &table{name: ${quoted(table.name)}, columns: []tableColumn{`,
    ...table.columns.map((column) => `\t{${described(column)}},`),
    `}, keys: [][]int{${keys}}}`,
    '',
    `var genNames${names.table} = []string{${columns}}`,
    '',
  ];
}

function described({ name, type, format, nullable, hasDefault }: ModelColumn): string {
  return [
    `name: ${quoted(name)}`,
    `typ: ${quoted(type)}`,
    ...(format === undefined ? [] : [`format: ${quoted(format)}`]),
    ...(nullable ? ['isNullable: true'] : []),
    ...(hasDefault ? ['hasDefault: true'] : []),
  ].join(', ');
}

function reader({ names: { table, row }, shown }: TableParts): readonly string[] {
  const cases = shown.flatMap(({ column, name, type }, i) => {
    const read = column.nullable ? 'readNull' : 'read';
    return [`case ${i}:`, `\tr.${name} = ${type.codec}.${read}(d)`];
  });
  return [
    ...func(`genReadColumn${row}(d *decoder, r *${row}, i int)`, 'switch i {', ...cases, '}'),
    ...func(
      `genRead${row}(d *decoder, r *${row})`,
      `for row := (rowReader{names: genNames${table}}); d.nextColumn(&row); {`,
      `\tgenReadColumn${row}(d, r, row.at)`,
      '}',
    ),
  ];
}

function writer(parts: TableParts): readonly string[] {
  const { row } = parts.names;
  const cells = parts.shown.map(({ column, name, type }) => {
    if (column.hasDefault)
      return `${column.nullable ? 'optNullEx' : 'optEx'}(${type.codec}, n.${name})`;
    return `${type.codec}.${column.nullable ? 'nullable' : 'literal'}(n.${name})`;
  });
  const key = shownAt(parts, parts.primary).map(
    ({ type, name }) => `${type.codec}.literal(r.${name})`,
  );
  return [
    ...func(
      `genCells${row}(n *${row}New) []*ex`,
      'return []*ex{',
      ...cells.map((cell) => `\t${cell},`),
      '}',
    ),
    ...func(
      `genAllCells${row}(rows []${row}New) [][]*ex`,
      'cells := make([][]*ex, len(rows))',
      'for i := range rows {',
      `\tcells[i] = genCells${row}(&rows[i])`,
      '}',
      'return cells',
    ),
    ...func(`genKey${row}(r *${row}) []*ex`, `return []*ex{${key.join(', ')}}`),
  ];
}
