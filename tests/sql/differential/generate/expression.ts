/** Expressions of a type over the columns in scope. */

import type { TypeName } from '../tables.ts';
import { existsQuery, listQuery, scalarQuery } from './subquery.ts';
import { allTypes, isInteger, isText, type Named, type Words } from './words.ts';

export interface Scope {
  readonly names: readonly Named[];
  /** Levels of expressions and of subqueries that may follow. */
  readonly depth: number;
  /** Whether another query may leave the value unread. */
  readonly isSubquery?: boolean;
}

/** An expression in parentheses where they matter. Its type is `type`, or one that PostgreSQL converts to it. */
export function expression(words: Words, scope: Scope, type: TypeName): string {
  const { choices } = words;
  const columns = scope.names.filter((name) => isLike(name.type, type));
  if (scope.depth <= 0 || choices.below(3) === 0)
    return columns.length > 0 && !choices.oneIn(4) ? choices.pick(columns).text : words.value(type);
  const inner: Scope = { ...scope, depth: scope.depth - 1 };
  if (choices.below(2) === 0) return ofAnyType(words, inner, type);
  if (type === 'bool') return condition(words, inner);
  if (isInteger(type)) return integer(words, inner, type);
  if (type === 'float8') return float(words, inner);
  if (isText(type)) return text(words, inner);
  return ofAnyType(words, inner, type);
}

function isLike(found: TypeName, wanted: TypeName): boolean {
  return (
    found === wanted || (isInteger(found) && isInteger(wanted)) || (isText(found) && isText(wanted))
  );
}

function ofAnyType(words: Words, scope: Scope, type: TypeName): string {
  const { choices } = words;
  const one = () => expression(words, scope, type);
  switch (choices.below(8)) {
    case 0:
      return `case when ${condition(words, scope)} then ${one()} else ${one()} end`;
    case 1:
      return `coalesce(${one()}, ${one()})`;
    case 2:
      return `nullif(${one()}, ${one()})`;
    case 3:
      return `greatest(${one()}, ${one()})`;
    case 4:
      return `least(${one()}, ${one()}, ${one()})`;
    case 5:
      return scalarQuery(words, scope, type);
    case 6:
      return `case ${one()} when ${one()} then ${one()} when ${one()} then ${one()} end`;
    default:
      return one();
  }
}

function integer(words: Words, scope: Scope, type: TypeName): string {
  const { choices } = words;
  const one = () => expression(words, scope, type);
  words.deviations.add('wide_intermediates');
  if (scope.isSubquery) words.deviations.add('unread_columns');
  switch (choices.below(8)) {
    case 0:
      return `(${one()} + ${one()})`;
    case 1:
      return `(${one()} - ${one()})`;
    case 2:
      return `(${one()} * ${one()})`;
    case 3:
      return `(${one()} / ${choices.pick(['2', '3', '(-2)'])})`;
    case 4:
      return `(- ${one()})`;
    case 5:
      return `length(${expression(words, scope, 'text')})`;
    case 6:
      return `abs(${one()})`;
    default:
      return `(${expression(words, scope, choices.pick(['int2', 'int4', 'int8']))})::${type}`;
  }
}

function float(words: Words, scope: Scope): string {
  const { choices } = words;
  const one = () => expression(words, scope, 'float8');
  switch (choices.below(6)) {
    case 0:
      return `(${one()} + ${one()})`;
    case 1:
      return `(${one()} - ${one()})`;
    case 2:
      return `(${one()} / 4)`;
    case 3:
      return `(- ${one()})`;
    case 4:
      return `(${expression(words, scope, 'int4')})::float8`;
    default:
      return `(${one()} * ${expression(words, scope, 'int2')})`;
  }
}

function text(words: Words, scope: Scope): string {
  const { choices } = words;
  const one = () => expression(words, scope, 'text');
  switch (choices.below(5)) {
    case 0:
      return `(${one()} || ${one()})`;
    case 1:
      return `lower(${one()})`;
    case 2:
      return `upper(${one()})`;
    case 3:
      return `(${expression(words, scope, choices.pick(['int4', 'bool', 'int8', 'text']))})::text`;
    default:
      return `(${one()})::varchar(3)`;
  }
}

const comparisons = ['=', '<>', '<', '<=', '>', '>='];

/** A boolean expression in parentheses. */
export function condition(words: Words, scope: Scope): string {
  const { choices } = words;
  if (scope.depth <= 0) return `(${comparison(words, scope)})`;
  const inner: Scope = { ...scope, depth: scope.depth - 1 };
  const one = () => condition(words, inner);
  switch (choices.below(10)) {
    case 0:
    case 1:
    case 2:
      return `(${comparison(words, inner)})`;
    case 3:
      return `(${one()} and ${one()})`;
    case 4:
      return `(${one()} or ${one()})`;
    case 5:
      return `(not ${one()})`;
    case 6:
      return `(${one()} is ${choices.pick(['true', 'not true', 'false', 'not false', 'unknown', 'not unknown'])})`;
    case 7:
      return existsQuery(words, inner);
    case 8:
      return listQuery(words, inner);
    default:
      return expression(words, inner, 'bool');
  }
}

function comparison(words: Words, scope: Scope): string {
  const { choices } = words;
  const named = choices.oneIn(4) ? undefined : scope.names[choices.below(scope.names.length)];
  const type = named?.type ?? choices.pick(allTypes);
  const left = named?.text ?? expression(words, scope, type);
  const typed = () => expression(words, scope, type);
  const right = () => (choices.below(2) === 0 ? words.untyped(type) : typed());
  switch (choices.below(10)) {
    case 0:
    case 1:
    case 2:
      return `${left} ${choices.pick(comparisons)} ${right()}`;
    case 3:
      return `${left} is ${choices.oneIn(2) ? 'not ' : ''}null`;
    case 4:
      return `${left} is ${choices.oneIn(2) ? 'not ' : ''}distinct from ${right()}`;
    case 5:
      return `${left} ${choices.oneIn(2) ? 'not ' : ''}between ${choices.oneIn(3) ? 'symmetric ' : ''}${right()} and ${right()}`;
    case 6:
      return `${left} ${choices.oneIn(2) ? 'not ' : ''}in (${choices.many(1, 3, right).join(', ')})`;
    case 7:
      return isText(type)
        ? `${left} ${choices.pick(['like', 'ilike', 'not like'])} ${pattern(words)}`
        : `${typed()} ${choices.pick(comparisons)} ${left}`;
    case 8:
      return `(${left}, ${typed()}) ${choices.pick(comparisons)} (${typed()}, ${typed()})`;
    default:
      return `${left} ${choices.pick(comparisons)} ${typed()}`;
  }
}

function pattern(words: Words): string {
  const value = words.choices.pick([
    'a%',
    '%a',
    '%',
    'ab',
    '%b%',
    'a%c',
    'é%',
    '',
    '_',
    'a\\%',
    '%\\_%',
  ]);
  if (!words.choices.oneIn(3)) return `'${value}'`;
  words.parameters.push(value);
  return `$${words.parameters.length}`;
}
