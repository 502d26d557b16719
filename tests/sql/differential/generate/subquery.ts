/** Subqueries inside of expressions. They may name the columns around them. */

import { type TypeName, tables } from '../tables.ts';
import { condition, expression, type Scope } from './expression.ts';
import { isInteger, type Named, type Words } from './words.ts';

interface Source {
  readonly from: string;
  readonly scope: Scope;
  readonly own: readonly Named[];
}

function source(words: Words, scope: Scope): Source {
  const table = words.choices.pick(tables);
  const alias = words.fresh('s');
  const own = table.columns.map(({ name, type }): Named => ({ text: `${alias}.${name}`, type }));
  return {
    from: `${table.name} ${alias}`,
    own,
    scope: { names: [...own, ...scope.names], depth: Math.min(scope.depth, 1) },
  };
}

/** A subquery of one row and one column, or of no row. */
export function scalarQuery(words: Words, scope: Scope, type: TypeName): string {
  const { from, own, scope: inner } = source(words, scope);
  const where = `where ${condition(words, inner)}`;
  if (isInteger(type) && words.choices.below(2) === 0)
    return `(select count(*) from ${from} ${where})${type === 'int8' ? '' : `::${type}`}`;
  if (type === 'bool' || type === 'uuid' || type === 'bytea')
    return `(select ${expression(words, inner, type)} from ${from} ${where} order by 1${everyColumn(own)} limit 1)`;
  return words.choices.below(2) === 0
    ? `(select ${words.choices.pick(['min', 'max'])}(${expression(words, inner, type)}) from ${from} ${where})`
    : `(select ${expression(words, inner, type)} from ${from} ${where} order by 1 limit 1)`;
}

function everyColumn(own: readonly Named[]): string {
  return own.map(({ text }) => `, ${text}`).join('');
}

export function existsQuery(words: Words, scope: Scope): string {
  const { from, scope: inner } = source(words, scope);
  const not = words.choices.oneIn(3) ? 'not ' : '';
  return `(${not}exists (select 1 from ${from} where ${condition(words, inner)}))`;
}

/** `x IN (SELECT …)` and the comparisons with ANY and ALL. */
export function listQuery(words: Words, scope: Scope): string {
  const { choices } = words;
  const { from, own, scope: inner } = source(words, scope);
  const column = choices.pick(own);
  const left = expression(words, { ...scope, depth: 0 }, column.type);
  const query = `(select ${column.text} from ${from} where ${condition(words, inner)})`;
  switch (choices.below(4)) {
    case 0:
      return `(${left} in ${query})`;
    case 1:
      return `(${left} not in ${query})`;
    case 2:
      return `(${left} ${choices.pick(['=', '<', '>=', '<>'])} any ${query})`;
    default:
      return `(${left} ${choices.pick(['<>', '<', '>=', '='])} all ${query})`;
  }
}
