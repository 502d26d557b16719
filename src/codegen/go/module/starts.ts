/**
 * Emits the variable of a table that applications start from: all rows, the rows of a query or of a statement with the columns of the table, and rows by key.
 */

import { expressionMaker } from './column-type.ts';
import { func, struct } from './go-text.ts';
import { keyParts } from './key-parts.ts';
import { type Shown, shownAt, type TableParts } from './table-parts.ts';

export function emitStarts(parts: TableParts): readonly string[] {
  const { table: name } = parts.names;
  return [
    `// ${name}Table makes queries and statements for ${parts.told}.`,
    ...struct(`${name}Table`, []),
    `// ${name} is the table ${parts.told}.`,
    `var ${name} ${name}Table`,
    '',
    ...wholes(parts),
    ...given(parts),
    ...getters(parts),
    ...(parts.primary.length === 1 ? getMany(parts) : getManyByKeys(parts)),
  ];
}

function wholes({ names: { table, row }, shown, info }: TableParts): readonly string[] {
  const outer = shown.map(
    ({ name, type }, i) => `o.${name} = ${expressionMaker(type, true)}(s, ${i})`,
  );
  return [
    '// As returns all rows with a separate set of columns. Call it once for each occurrence of the table in a query.',
    ...func(
      `(*${table}Table) As() *${row}Scope`,
      `s := ${info}.newSource(false)`,
      `return genScope${row}(s, scanQuery(${info}, s))`,
    ),
    '// AsOuter returns all rows as the right side of LeftJoin.',
    ...func(
      `(*${table}Table) AsOuter() *${row}Outer`,
      `s := ${info}.newSource(true)`,
      `o := &${row}Outer{outerRows: outerRows{scanQuery(${info}, s)}}`,
      ...outer,
      'return o',
    ),
  ];
}

function given({ names: { table, row }, info }: TableParts): readonly string[] {
  return [
    '// From returns the rows of a query with a separate set of columns, for example to use one query twice in a join.',
    ...func(
      `(*${table}Table) From(q *Query[${row}]) *${row}Scope`,
      `s := ${info}.newSource(false)`,
      `return genScope${row}(s, q.q.withColumns(s))`,
    ),
    '// Of returns the rows of an earlier statement of the program, for use in later statements.',
    ...func(
      `(*${table}Table) Of(done DoneOf[${row}]) *${row}Scope`,
      `s := ${info}.newSource(false)`,
      `return genScope${row}(s, done.rowsAs(s, nil))`,
    ),
  ];
}

/** Emits a getter for each key. If several keys have the same columns, only the first of them gets a getter. */
function getters(parts: TableParts): readonly string[] {
  const seen = new Set<string>();
  return parts.table.keys.flatMap((key, i) => {
    const names = shownAt(parts, key).map(({ name }) => name);
    const suffix = i === 0 ? '' : `By${names.join('And')}`;
    const isNullable = shownAt(parts, key).some(({ column }) => column.nullable);
    if (seen.has(suffix) || (i === 0 && isNullable)) return [];
    seen.add(suffix);
    return getter(parts, i, suffix, i === 0 ? 'the primary key' : names.join(' and '));
  });
}

function getter(parts: TableParts, at: number, suffix: string, what: string): readonly string[] {
  const { info, names } = parts;
  const { table, row } = names;
  const key = keyParts(parts, parts.table.keys[at] as readonly number[]);
  const body = (values: string) => [
    `s := ${info}.newSource(false)`,
    `return genMaybe${row}(s, byKey(${info}, ${at}, s, []*ex{${values}}))`,
  ];
  return [
    `// Get${suffix} returns the row by ${what}, or none.`,
    ...func(`(*${table}Table) Get${suffix}(${key.parameters}) *${row}Maybe`, ...body(key.literals)),
    `// Get${suffix}Expr is Get${suffix} with expressions, such as parameters of prepared queries.`,
    ...func(
      `(*${table}Table) Get${suffix}Expr(${key.expressions}) *${row}Maybe`,
      ...body(key.operands),
    ),
  ];
}

function getMany({ names: { table, row }, info, shown, primary }: TableParts): readonly string[] {
  const { type } = shown[primary[0] as number] as Shown;
  return [
    '// GetMany returns the rows with these keys.',
    ...func(
      `(*${table}Table) GetMany(keys ...${type.go}) *${row}Scope`,
      `s := ${info}.newSource(false)`,
      `return genScope${row}(s, byValues(${info}, s, ${type.codec}.literals(keys)))`,
    ),
  ];
}

function getManyByKeys(parts: TableParts): readonly string[] {
  const { names, info, primary, told } = parts;
  const { table, row } = names;
  const key = shownAt(parts, primary);
  const cells = key.map(({ name, type }) => `${type.codec}.literal(key.${name})`);
  return [
    `// ${row}Key is the primary key of ${told}.`,
    ...struct(
      `${row}Key`,
      key.map(({ name, type }) => [name, type.go]),
    ),
    '// GetMany returns the rows with these keys.',
    ...func(
      `(*${table}Table) GetMany(keys ...${row}Key) *${row}Scope`,
      'cells := make([][]*ex, len(keys))',
      'for i, key := range keys {',
      `\tcells[i] = []*ex{${cells.join(', ')}}`,
      '}',
      `s := ${info}.newSource(false)`,
      `return genScope${row}(s, byKeys(${info}, s, cells))`,
    ),
  ];
}
