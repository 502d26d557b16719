/**
 * Emits the columns of a table as expressions, the rows with these columns (queries and single rows), and the relations that lead from a row to rows of other
 * tables.
 */

import type { ModelRelation } from '../../model/client-model.ts';
import { expressionMaker, expressionType, settableMaker, settableType } from './column-type.ts';
import { func, funcApart, positions, struct } from './go-text.ts';
import type { TableNames } from './names.ts';
import { type Context, inComment, type TableParts } from './table-parts.ts';

export function emitColumns({ names: { row }, shown, told }: TableParts): readonly string[] {
  const fields = shown.map(({ column, name, type, isKey }) => {
    const typeOf = isKey ? expressionType : settableType;
    return [name, typeOf(type, column.nullable)] as const;
  });
  const handles = shown.map(({ column, name, type, isKey }, i) => {
    const make = (isKey ? expressionMaker : settableMaker)(type, column.nullable);
    return `c.${name} = ${make}(s, ${i})`;
  });
  return [
    `// ${row}Cols are the columns of rows of ${told}.`,
    ...struct(`${row}Cols`, [...fields, ['source', '*source']]),
    ...func(
      `genCols${row}(s *source) ${row}Cols`,
      `c := ${row}Cols{source: s}`,
      ...handles,
      'return c',
    ),
    ...maker(row, 'Scope', 'rows'),
    ...maker(row, 'Maybe', 'maybeRow'),
    ...maker(row, 'One', 'oneRowOf'),
  ];
}

/** Emits the function that creates rows with their columns: many rows (`Scope`), at most one (`Maybe`), or exactly one (`One`). */
function maker(row: string, result: string, rows: string): readonly string[] {
  return funcApart(
    `gen${result}${row}(s *source, q *query) *${row}${result}`,
    `return &${row}${result}{genCols${row}(s), ${rows}[${row}]{q, genRead${row}}}`,
  );
}

export function emitRelation(
  { model, names }: Context,
  { row }: TableNames,
  { table, key, kind, own: mine, theirs, through }: ModelRelation,
  name: string,
): readonly string[] {
  const to = names[table] as TableNames;
  const between = through && [
    `middle: genTable${(names[through.table] as TableNames).table}`,
    `toUs: ${positions(through.own)}`,
    `toThem: ${positions(through.theirs)}`,
  ];
  const parts = [
    `table: genTable${to.table}`,
    `theirs: ${positions(theirs)}`,
    `own: ${positions(mine)}`,
    ...(between ?? [`card: ${kind}`]),
  ];
  const result = { one: 'One', maybe: 'Maybe', many: 'Scope' }[kind];
  const what = { one: 'the row', maybe: 'the row, or none,', many: 'the rows' }[kind];
  const link = `genLink${row}_${name}`;
  return [
    `var ${link} = &link{${parts.join(', ')}}`,
    '',
    `// ${name} is ${what} of ${inComment(model.tables[table]?.name ?? '')} by ${inComment(key)}.`,
    ...func(
      `(c *${row}Cols) ${name}() *${to.row}${result}`,
      `return gen${result}${to.row}(${link}.from(c.source))`,
    ),
  ];
}
