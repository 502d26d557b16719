/** Emits the types of rows with their columns, and the operations on many rows. */

import { expressionType } from './column-type.ts';
import { func, struct } from './go-text.ts';
import type { TableParts } from './table-parts.ts';

export function emitScopes(parts: TableParts): readonly string[] {
  return [...types(parts), ...changes(parts), ...into(parts)];
}

function types({ names: { row }, shown, told }: TableParts): readonly string[] {
  const rowsOf = (name: string, rows: string) =>
    struct(`${row}${name}`, [
      [`${row}Cols`, ''],
      [`${rows}[${row}]`, ''],
    ]);
  const columns = shown.map(({ name, type }) => [name, expressionType(type, true)] as const);
  return [
    `// ${row}Scope is a query of rows of ${told}, with their columns as expressions.`,
    ...rowsOf('Scope', 'rows'),
    `// ${row}One is a row of ${told} that always exists.`,
    ...rowsOf('One', 'oneRowOf'),
    `// ${row}Maybe is a row of ${told}, or none.`,
    ...rowsOf('Maybe', 'maybeRow'),
    `// ${row}Outer is a query of rows of ${told} as the right side of LeftJoin.`,
    ...struct(`${row}Outer`, [...columns, ['outerRows', '']]),
  ];
}

function changes({ names: { row }, info }: TableParts): readonly string[] {
  const written = `*Write[[]${row}, ${row}]`;
  const tested = `${info}, p.q.where(test.predicate())`;
  return [
    '// UpdateWhere sets columns of the rows for which the test is TRUE.',
    ...func(
      `(p *${row}Scope) UpdateWhere(test Predicate, sets ...Assign) ${written}`,
      `return writeMany(updateRows(${tested}, p.source, sets, many), genRead${row})`,
    ),
    '// DeleteWhere deletes the rows for which the test is TRUE.',
    ...func(
      `(p *${row}Scope) DeleteWhere(test Predicate) ${written}`,
      `return writeMany(deleteRows(${tested}, p.source, many), genRead${row})`,
    ),
  ];
}

function into({ names: { row }, info }: TableParts): readonly string[] {
  return [
    `// Into${row} selects all columns, for a ${row} within R.`,
    ...func(
      `Into${row}[R any](c ${row}Cols, at func(row *R) *${row}) Field[R]`,
      `return intoAll(${info}, c.source.handles, at, genReadColumn${row})`,
    ),
  ];
}
