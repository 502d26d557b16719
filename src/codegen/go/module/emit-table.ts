/** A table in Go: a row, a new row, columns, scopes and the variable that applications start from. */

import {
  type ColumnType,
  columnType,
  expressionMaker,
  expressionType,
  settableMaker,
  settableType,
} from './column-type.ts';
import type { GoColumn, GoModel, GoRelation, GoTable, GoTarget } from './model.ts';
import { parameterName, type TableNames } from './names.ts';

interface Context {
  readonly model: GoModel;
  readonly target: GoTarget;
  readonly names: readonly TableNames[];
}

interface Shown {
  readonly column: GoColumn;
  readonly name: string;
  readonly type: ColumnType;
  readonly isKey: boolean;
}

/** Text of Go as it stands between quotes. */
export const quoted = (text: string) => JSON.stringify(text).replaceAll('\u2028', '\\u2028');

const list = (positions: readonly number[]) => `[]int{${positions.join(', ')}}`;

/** Fields with their types in one column, as gofmt has them. */
function struct(
  name: string,
  fields: readonly (readonly [name: string, type: string])[],
): string[] {
  if (fields.length === 0) return [`type ${name} struct{}`, ''];
  const width = Math.max(...fields.map(([field, type]) => (type === '' ? 0 : [...field].length)));
  const lines = fields.map(([field, type]) =>
    type === '' ? `\t${field}` : `\t${field}${' '.repeat(width - [...field].length)} ${type}`,
  );
  return [`type ${name} struct {`, ...lines, '}', ''];
}

export function emitTable(context: Context, at: number): readonly string[] {
  const { model, target, names } = context;
  const table = model.tables[at] as GoTable;
  const own = names[at] as TableNames;
  const primary = table.keys[0] as readonly number[];
  const shown = table.columns.map(
    (column, i): Shown => ({
      column,
      name: own.columns[i] as string,
      type: columnType(column, target),
      isKey: primary.includes(i),
    }),
  );
  const tableName = quoted(table.name).slice(1, -1);
  return [
    ...descriptor(table, own, shown),
    `// ${own.row} is a row of ${tableName}.`,
    ...struct(
      own.row,
      shown.map(({ column, name, type }) => [name, nullableType(type, column.nullable)]),
    ),
    ...reader(own, shown),
    `// ${own.row}New is a new row of ${tableName}; what is left out gets its default, or NULL.`,
    ...struct(
      `${own.row}New`,
      shown.map(({ column, name, type }) => [name, newType(type, column)]),
    ),
    ...writer(own, shown, primary),
    ...columns(own, shown, tableName),
    ...table.relations.flatMap((relation, i) =>
      emitRelation(context, own, relation, own.relations[i] as string),
    ),
    ...scopes(own, shown, tableName),
    ...starts(table, own, shown, tableName),
  ];
}

const nullableType = ({ go }: ColumnType, isNullable: boolean) => (isNullable ? `Null[${go}]` : go);

function newType(type: ColumnType, { nullable, hasDefault }: GoColumn): string {
  const native = nullableType(type, nullable);
  return hasDefault ? `Opt[${native}]` : native;
}

function descriptor(table: GoTable, own: TableNames, shown: readonly Shown[]): string[] {
  const lines = shown.map(({ column: { name, type, format, nullable, hasDefault } }) => {
    const parts = [
      `name: ${quoted(name)}`,
      `typ: ${quoted(type)}`,
      ...(format === undefined ? [] : [`format: ${quoted(format)}`]),
      ...(nullable ? ['isNullable: true'] : []),
      ...(hasDefault ? ['hasDefault: true'] : []),
    ];
    return `\t{${parts.join(', ')}},`;
  });
  return [
    `var genTable${own.table} = &table{name: ${quoted(table.name)}, columns: []tableColumn{`,
    ...lines,
    `}, keys: [][]int{${table.keys.map((key) => `{${key.join(', ')}}`).join(', ')}}}`,
    '',
    `var genNames${own.table} = []string{${table.columns.map(({ name }) => quoted(name)).join(', ')}}`,
    '',
  ];
}

function reader({ table, row }: TableNames, shown: readonly Shown[]): string[] {
  const cases = shown.flatMap(({ column, name, type }, i) => {
    const read = column.nullable ? 'readNull' : 'read';
    return [`\tcase ${i}:`, `\t\tr.${name} = ${type.codec}.${read}(d)`];
  });
  return [
    `func genReadColumn${row}(d *decoder, r *${row}, i int) {`,
    '\tswitch i {',
    ...cases,
    '\t}',
    '}',
    '',
    `func genRead${row}(d *decoder, r *${row}) {`,
    `\tfor row := (rowReader{names: genNames${table}}); d.nextColumn(&row); {`,
    `\t\tgenReadColumn${row}(d, r, row.at)`,
    '\t}',
    '}',
    '',
  ];
}

function writer(
  { row }: TableNames,
  shown: readonly Shown[],
  primary: readonly number[],
): string[] {
  const cells = shown.map(({ column, name, type }) => {
    if (column.hasDefault)
      return `${column.nullable ? 'optNullEx' : 'optEx'}(${type.codec}, n.${name})`;
    return `${type.codec}.${column.nullable ? 'nullable' : 'literal'}(n.${name})`;
  });
  const key = primary.map((at) => {
    const { type, name } = shown[at] as Shown;
    return `${type.codec}.literal(r.${name})`;
  });
  return [
    `func genCells${row}(n *${row}New) []*ex {`,
    '\treturn []*ex{',
    ...cells.map((cell) => `\t\t${cell},`),
    '\t}',
    '}',
    '',
    `func genAllCells${row}(rows []${row}New) [][]*ex {`,
    '\tcells := make([][]*ex, len(rows))',
    '\tfor i := range rows {',
    `\t\tcells[i] = genCells${row}(&rows[i])`,
    '\t}',
    '\treturn cells',
    '}',
    '',
    `func genKey${row}(r *${row}) []*ex {`,
    `\treturn []*ex{${key.join(', ')}}`,
    '}',
    '',
  ];
}

function columns({ row }: TableNames, shown: readonly Shown[], tableName: string): string[] {
  const handles = shown.map(({ column, name, type, isKey }, i) => {
    const make = (isKey ? expressionMaker : settableMaker)(type, column.nullable);
    return `\tc.${name} = ${make}(s, ${i})`;
  });
  return [
    `// ${row}Cols are the columns of rows of ${tableName}.`,
    ...struct(`${row}Cols`, [
      ...shown.map(
        ({ column, name, type, isKey }) =>
          [
            name,
            isKey ? expressionType(type, column.nullable) : settableType(type, column.nullable),
          ] as const,
      ),
      ['source', '*source'] as const,
    ]),
    `func genCols${row}(s *source) ${row}Cols {`,
    `\tc := ${row}Cols{source: s}`,
    ...handles,
    '\treturn c',
    '}',
    '',
    '//go:noinline',
    `func genScope${row}(s *source, q *query) *${row}Scope {`,
    `\treturn &${row}Scope{genCols${row}(s), rows[${row}]{q, genRead${row}}}`,
    '}',
    '',
    '//go:noinline',
    `func genMaybe${row}(s *source, q *query) *${row}Maybe {`,
    `\treturn &${row}Maybe{genCols${row}(s), maybeRow[${row}]{q, genRead${row}}}`,
    '}',
    '',
    '//go:noinline',
    `func genOne${row}(s *source, q *query) *${row}One {`,
    `\treturn &${row}One{genCols${row}(s), oneRowOf[${row}]{q, genRead${row}}}`,
    '}',
    '',
  ];
}

function emitRelation(
  { model, names }: Context,
  own: TableNames,
  { table, key, kind, own: mine, theirs, through }: GoRelation,
  name: string,
): string[] {
  const to = names[table] as TableNames;
  const between = through && [
    `middle: genTable${(names[through.table] as TableNames).table}`,
    `toUs: ${list(through.own)}`,
    `toThem: ${list(through.theirs)}`,
  ];
  const parts = [
    `table: genTable${to.table}`,
    `theirs: ${list(theirs)}`,
    `own: ${list(mine)}`,
    ...(between ?? [`card: ${kind}`]),
  ];
  const result = { one: 'One', maybe: 'Maybe', many: 'Scope' }[kind];
  const what = { one: 'the row', maybe: 'the row, or none,', many: 'the rows' }[kind];
  const from = quoted(model.tables[table]?.name ?? '').slice(1, -1);
  return [
    `var genLink${own.row}_${name} = &link{${parts.join(', ')}}`,
    '',
    `// ${name} is ${what} of ${from} by ${quoted(key).slice(1, -1)}.`,
    `func (c *${own.row}Cols) ${name}() *${to.row}${result} {`,
    `\treturn gen${result}${to.row}(genLink${own.row}_${name}.from(c.source))`,
    '}',
    '',
  ];
}

function scopes({ table, row }: TableNames, shown: readonly Shown[], tableName: string): string[] {
  return [
    `// ${row}Scope is rows of ${tableName} with their columns: a query, and what its expressions are made of.`,
    ...struct(`${row}Scope`, [
      [`${row}Cols`, ''],
      [`rows[${row}]`, ''],
    ]),
    `// ${row}One is a row of ${tableName} that is certainly there.`,
    ...struct(`${row}One`, [
      [`${row}Cols`, ''],
      [`oneRowOf[${row}]`, ''],
    ]),
    `// ${row}Maybe is a row of ${tableName}, or none.`,
    ...struct(`${row}Maybe`, [
      [`${row}Cols`, ''],
      [`maybeRow[${row}]`, ''],
    ]),
    `// ${row}Outer is rows of ${tableName} as the right side of LeftJoin.`,
    ...struct(`${row}Outer`, [
      ...shown.map(({ name, type }) => [name, expressionType(type, true)] as const),
      ['outerRows', ''] as const,
    ]),
    '// UpdateWhere sets columns of the rows for which the test is TRUE.',
    `func (p *${row}Scope) UpdateWhere(test Predicate, sets ...Assign) *Write[[]${row}, ${row}] {`,
    `\treturn writeMany(updateRows(genTable${table}, p.q.where(test.predicate()), p.source, sets, many), genRead${row})`,
    '}',
    '',
    '// DeleteWhere deletes the rows for which the test is TRUE.',
    `func (p *${row}Scope) DeleteWhere(test Predicate) *Write[[]${row}, ${row}] {`,
    `\treturn writeMany(deleteRows(genTable${table}, p.q.where(test.predicate()), p.source, many), genRead${row})`,
    '}',
    '',
    `// Into${row} selects all columns, for a ${row} within R.`,
    `func Into${row}[R any](c ${row}Cols, at func(row *R) *${row}) Field[R] {`,
    `\treturn intoAll(genTable${table}, c.source.handles, at, genReadColumn${row})`,
    '}',
    '',
  ];
}

/** Columns of a key as parameters, as literals, and as expressions. */
function keyParts(shown: readonly Shown[], key: readonly number[]) {
  const columns = key.map((at) => shown[at] as Shown);
  const parameters = columns.map(({ name, type }) => [parameterName(name), type] as const);
  return {
    names: columns.map(({ name }) => name),
    parameters: parameters.map(([name, { go }]) => `${name} ${go}`).join(', '),
    literals: parameters.map(([name, { codec }]) => `${codec}.literal(${name})`).join(', '),
    expressions: parameters.map(([name, { go }]) => `${name} Expr[${go}]`).join(', '),
    operands: parameters.map(([name]) => `${name}.ref()`).join(', '),
  };
}

function starts(
  table: GoTable,
  own: TableNames,
  shown: readonly Shown[],
  tableName: string,
): string[] {
  const { table: name, row } = own;
  const of = `func (*${name}Table)`;
  const info = `genTable${name}`;
  const read = `genRead${row}`;
  const primary = table.keys[0] as readonly number[];
  const key = keyParts(shown, primary);
  const outer = shown.map(
    ({ name, type }, i) => `\to.${name} = ${expressionMaker(type, true)}(s, ${i})`,
  );
  const isSingle = primary.length === 1;
  const only = shown[primary[0] as number] as Shown;
  const seen = new Set<string>();
  const getters = table.keys.flatMap((positions, i) => {
    const { names, parameters, literals, expressions, operands } = keyParts(shown, positions);
    const suffix = i === 0 ? '' : `By${names.join('And')}`;
    if (seen.has(suffix) || positions.some((at) => shown[at]?.column.nullable && i === 0))
      return [];
    seen.add(suffix);
    const what = i === 0 ? 'the primary key' : names.join(' and ');
    return [
      `// Get${suffix} is the row by ${what}, or none.`,
      `${of} Get${suffix}(${parameters}) *${row}Maybe {`,
      `\ts := ${info}.newSource(false)`,
      `\treturn genMaybe${row}(s, byKey(${info}, ${i}, s, []*ex{${literals}}))`,
      '}',
      '',
      `// Get${suffix}Expr is Get${suffix} by expressions, such as parameters of prepared queries.`,
      `${of} Get${suffix}Expr(${expressions}) *${row}Maybe {`,
      `\ts := ${info}.newSource(false)`,
      `\treturn genMaybe${row}(s, byKey(${info}, ${i}, s, []*ex{${operands}}))`,
      '}',
      '',
    ];
  });
  return [
    `// ${name}Table makes queries and statements for ${tableName}.`,
    ...struct(`${name}Table`, []),
    `// ${name} is the table ${tableName}.`,
    `var ${name} ${name}Table`,
    '',
    '// As is all rows, with columns of their own: call it once for each time that the rows stand in a query.',
    `${of} As() *${row}Scope {`,
    `\ts := ${info}.newSource(false)`,
    `\treturn genScope${row}(s, scanQuery(${info}, s))`,
    '}',
    '',
    '// AsOuter is all rows, as the right side of LeftJoin.',
    `${of} AsOuter() *${row}Outer {`,
    `\ts := ${info}.newSource(true)`,
    `\to := &${row}Outer{outerRows: outerRows{scanQuery(${info}, s)}}`,
    ...outer,
    '\treturn o',
    '}',
    '',
    `// From is the rows of a query with columns of their own, such as one that is shared and stands in a join twice.`,
    `${of} From(q *Query[${row}]) *${row}Scope {`,
    `\ts := ${info}.newSource(false)`,
    `\treturn genScope${row}(s, q.q.withColumns(s))`,
    '}',
    '',
    '// Of is the rows of a statement of a program, for what comes after it.',
    `${of} Of(done DoneOf[${row}]) *${row}Scope {`,
    `\ts := ${info}.newSource(false)`,
    `\treturn genScope${row}(s, done.rowsAs(s, nil))`,
    '}',
    '',
    ...getters,
    ...(isSingle
      ? [
          '// GetMany is the rows with these keys.',
          `${of} GetMany(keys ...${only.type.go}) *${row}Scope {`,
          `\ts := ${info}.newSource(false)`,
          `\treturn genScope${row}(s, byValues(${info}, s, ${only.type.codec}.literals(keys)))`,
          '}',
          '',
        ]
      : [
          `// ${row}Key is the primary key of ${tableName}.`,
          ...struct(
            `${row}Key`,
            primary.map((at) => [(shown[at] as Shown).name, (shown[at] as Shown).type.go]),
          ),
          '// GetMany is the rows with these keys.',
          `${of} GetMany(keys ...${row}Key) *${row}Scope {`,
          '\tcells := make([][]*ex, len(keys))',
          '\tfor i, key := range keys {',
          `\t\tcells[i] = []*ex{${primary
            .map(
              (at) =>
                `${(shown[at] as Shown).type.codec}.literal(key.${(shown[at] as Shown).name})`,
            )
            .join(', ')}}`,
          '\t}',
          `\ts := ${info}.newSource(false)`,
          `\treturn genScope${row}(s, byKeys(${info}, s, cells))`,
          '}',
          '',
        ]),
    '// Insert makes a row.',
    `${of} Insert(row ${row}New) *Write[${row}, ${row}] {`,
    `\treturn writeOne(insertOne(${info}, genCells${row}(&row)), ${read})`,
    '}',
    '',
    '// InsertMany makes rows; they come in the order of the input where all have their keys.',
    `${of} InsertMany(rows ...${row}New) *Write[[]${row}, ${row}] {`,
    `\treturn insertMany(${info}, genAllCells${row}(rows), ${read}, genKey${row})`,
    '}',
    '',
    '// InsertFrom makes a row of each row of a query: Set and Put say what of it goes where.',
    `${of} InsertFrom(from Source, sets ...Assign) *Write[[]${row}, ${row}] {`,
    `\treturn writeMany(writeFrom("create", ${info}, from, sets), ${read})`,
    '}',
    '',
    '// InsertIgnore makes the rows whose key is not there yet; the others stay as they are. The columns of the key are the primary key, or those of `on`.',
    `${of} InsertIgnore(rows []${row}New, on ...string) *Write[[]${row}, ${row}] {`,
    `\treturn writeMany(upsert(${info}, genAllCells${row}(rows), on, nil, false), ${read})`,
    '}',
    '',
    '// Upsert makes the rows whose key is not there yet, and sets the columns of the others, as merge says: without one, all that are given.',
    `${of} Upsert(rows []${row}New, merge ...Merge[${row}Cols]) *Write[[]${row}, ${row}] {`,
    `\tm := append(merge, Merge[${row}Cols]{})[0]`,
    `\treturn writeMany(upsert(${info}, genAllCells${row}(rows), m.On, merged(m.Set, genCols${row}), true), ${read})`,
    '}',
    '',
    '// Update sets columns of the row with the key; without such a row nothing happens.',
    `${of} Update(${key.parameters}, sets ...Assign) *Write[Null[${row}], ${row}] {`,
    `\ts := sourceOf(${info}, sets)`,
    `\tq := byKey(${info}, 0, s, []*ex{${key.literals}})`,
    `\treturn writeMaybe(updateRows(${info}, q, s, sets, maybe), ${read})`,
    '}',
    '',
    '// UpdateFrom sets columns of a row for each row of a query: Put says its key, Set what becomes of it.',
    `${of} UpdateFrom(from Source, sets ...Assign) *Write[[]${row}, ${row}] {`,
    `\treturn writeMany(writeFrom("update", ${info}, from, sets), ${read})`,
    '}',
    '',
    '// Delete deletes the row with the key; without such a row nothing happens.',
    `${of} Delete(${key.parameters}) *Write[Null[${row}], ${row}] {`,
    `\ts := ${info}.newSource(false)`,
    `\tq := byKey(${info}, 0, s, []*ex{${key.literals}})`,
    `\treturn writeMaybe(deleteRows(${info}, q, s, maybe), ${read})`,
    '}',
    '',
  ];
}
