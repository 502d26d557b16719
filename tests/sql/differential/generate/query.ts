/** Queries. A query with LIMIT is ordered by all of its columns, so that its rows are determined. */

import { type Table, type TypeName, tables } from '../tables.ts';
import { condition, expression, type Scope } from './expression.ts';
import { allTypes, isInteger, type Named, type Words } from './words.ts';

export interface Query {
  readonly text: string;
  /** Whether the text determines the order of the rows. */
  readonly isOrdered: boolean;
  readonly types: readonly TypeName[];
}

interface From {
  readonly text: string;
  readonly names: readonly Named[];
}

const depth = 3;

export function query(words: Words): Query {
  const { choices } = words;
  switch (choices.below(10)) {
    case 0:
      return setOperation(words);
    case 1:
      return withQuery(words);
    case 2:
      return grouped(words);
    case 3:
      return grouped(words);
    case 4:
      return rowsQuery(words);
    case 5:
      return recursive(words);
    default:
      return plain(words);
  }
}

/** A query of columns with given types, without an order. */
export function queryOf(words: Words, types: readonly TypeName[]): string {
  const from = sources(words);
  const scope = { names: from.names, depth: 2, isSubquery: true };
  const items = types.map((type) => expression(words, scope, type));
  return `select ${items.join(', ')} from ${from.text}${where(words, scope)}`;
}

function plain(words: Words): Query {
  const { choices } = words;
  const from = sources(words);
  const scope = { names: from.names, depth };
  if (choices.oneIn(5)) {
    const types = from.names.map(({ type }) => type);
    return { text: `select * from ${from.text}${where(words, scope)}`, isOrdered: false, types };
  }
  const types = choices.many(1, 4, () => choices.pick(allTypes));
  const items = types.map((type) => expression(words, scope, type));
  const aliases = items.map(() => (choices.oneIn(3) ? ` as ${words.fresh('c')}` : ''));
  const list = items.map((item, i) => `${item}${aliases[i]}`).join(', ');
  const distinct = choices.oneIn(6) ? 'distinct ' : '';
  const text = `select ${distinct}${list} from ${from.text}${where(words, scope)}`;
  const order =
    distinct === '' && choices.oneIn(3)
      ? expression(words, { ...scope, depth: 1 }, choices.pick(types))
      : undefined;
  return ordered(words, text, types, isConstant(order) ? undefined : order);
}

/** A constant in ORDER BY would be a position, or an error. */
function isConstant(order: string | undefined): boolean {
  return order === undefined || !/[a-z]\w*\.\w/.test(order);
}

function ordered(words: Words, text: string, types: readonly TypeName[], first?: string): Query {
  const { choices } = words;
  if (choices.below(2) === 0 && first === undefined) return { text, isOrdered: false, types };
  const direction = () =>
    choices.pick(['', ' desc', ' asc', ' nulls first', ' desc nulls last', ' nulls last']);
  const terms = [...(first === undefined ? [] : [first]), ...types.map((_, i) => String(i + 1))];
  const sorted = `${text} order by ${terms.map((term) => `${term}${direction()}`).join(', ')}`;
  switch (choices.below(4)) {
    case 0:
      return { text: `${sorted} limit ${count(words)}`, isOrdered: true, types };
    case 1:
      return {
        text: `${sorted} limit ${count(words)} offset ${count(words)}`,
        isOrdered: true,
        types,
      };
    case 2:
      return {
        text: `${sorted} offset ${count(words)} rows fetch first 3 rows only`,
        isOrdered: true,
        types,
      };
    default:
      return { text: sorted, isOrdered: true, types };
  }
}

function count(words: Words): string {
  if (!words.choices.oneIn(3)) return String(words.choices.below(5));
  words.parameters.push(words.choices.oneIn(4) ? null : String(words.choices.below(5)));
  return `$${words.parameters.length}`;
}

function where(words: Words, scope: Scope): string {
  return words.choices.below(3) === 0 ? '' : ` where ${condition(words, { ...scope, depth: 2 })}`;
}

function sources(words: Words): From {
  const { choices } = words;
  const first = sourceOf(words);
  if (choices.below(2) === 0) return first;
  const second = sourceOf(words);
  const names = [...first.names, ...second.names];
  const scope = { names, depth: 1 };
  switch (choices.below(7)) {
    case 0:
      return { text: `${first.text}, ${second.text}`, names };
    case 1:
      return { text: `${first.text} cross join ${second.text}`, names };
    case 2:
      return {
        text: `${first.text} left join ${second.text} on ${equality(words, first, second)}`,
        names,
      };
    case 3:
      return {
        text: `${first.text} right join ${second.text} on ${equality(words, first, second)}`,
        names,
      };
    case 4:
      return {
        text: `${first.text} full join ${second.text} on ${equality(words, first, second)}`,
        names,
      };
    case 5:
      return { text: `${first.text} join ${second.text} on ${condition(words, scope)}`, names };
    default:
      return {
        text: `${first.text} join ${second.text} on ${equality(words, first, second)}`,
        names,
      };
  }
}

/** FULL JOIN of PostgreSQL needs an equality of both sides. */
function equality(words: Words, left: From, right: From): string {
  const pairs = left.names.flatMap((a) =>
    right.names
      .filter((b) => a.type === b.type || (isInteger(a.type) && isInteger(b.type)))
      .map((b) => `${a.text} = ${b.text}`),
  );
  return pairs.length === 0 ? 'true' : words.choices.pick(pairs);
}

function sourceOf(words: Words): From {
  const { choices } = words;
  const table = choices.pick(tables);
  const alias = words.fresh('t');
  if (choices.oneIn(8)) {
    const types = choices.many(1, 3, () => choices.pick(allTypes));
    const columns = types.map(() => words.fresh('c'));
    const text = `(${queryOf(words, types)}) as ${alias}(${columns.join(', ')})`;
    return {
      text,
      names: columns.map((name, i) => ({ text: `${alias}.${name}`, type: types[i] as TypeName })),
    };
  }
  return { text: `${table.name} ${alias}`, names: namesOf(table, alias) };
}

export function namesOf(table: Table, alias: string): readonly Named[] {
  return table.columns.map(({ name, type }) => ({ text: `${alias}.${name}`, type }));
}

interface Aggregate {
  readonly text: string;
  readonly type: TypeName;
}

/** Averages and sums of int8 are numeric in PostgreSQL, so they are cast. */
function aggregate(words: Words, scope: Scope): Aggregate {
  const { choices } = words;
  const inner = { ...scope, depth: 1 };
  const type = choices.pick([
    'int4',
    'text',
    'float8',
    'int8',
    'date',
    'timestamptz',
    'int2',
  ] as const);
  switch (choices.below(7)) {
    case 0:
      return { text: 'count(*)', type: 'int8' };
    case 1:
      return { text: `count(${expression(words, inner, choices.pick(allTypes))})`, type: 'int8' };
    case 2:
      return {
        text: `sum(${expression(words, inner, choices.pick(['int4', 'int2']))})::int8`,
        type: 'int8',
      };
    case 3:
      return { text: `sum(${expression(words, inner, 'float8')})`, type: 'float8' };
    case 4:
      return { text: `avg(${expression(words, inner, 'float8')})`, type: 'float8' };
    case 5:
      return {
        text: `count(distinct ${expression(words, inner, choices.pick(allTypes))})`,
        type: 'int8',
      };
    default:
      return { text: `${choices.pick(['min', 'max'])}(${expression(words, inner, type)})`, type };
  }
}

function grouped(words: Words): Query {
  const { choices } = words;
  const from = sources(words);
  const scope = { names: from.names, depth: 2 };
  const groups = choices.many(0, 2, () => choices.pick(from.names));
  const aggregates = choices.many(1, 3, () => aggregate(words, scope));
  const items = [...groups, ...aggregates];
  const by =
    groups.length === 0
      ? ''
      : ` group by ${groups.map(({ text }, i) => (choices.oneIn(4) ? i + 1 : text)).join(', ')}`;
  const having = choices.oneIn(4) ? ` having ${aggregate(words, scope).text} is not null` : '';
  const list = items.map(({ text }) => text).join(', ');
  const text = `select ${list} from ${from.text}${where(words, scope)}${by}${having}`;
  return ordered(
    words,
    text,
    items.map(({ type }) => type),
  );
}

function setOperation(words: Words): Query {
  const { choices } = words;
  const types = choices.many(1, 3, () => choices.pick(allTypes));
  const operator = choices.pick([
    'union all',
    'union',
    'intersect',
    'except',
    'intersect all',
    'except all',
  ]);
  const right = choices.oneIn(3)
    ? types.map((type) =>
        isInteger(type) ? choices.pick(['int2', 'int4', 'int8', 'float8'] as const) : type,
      )
    : types;
  const text = `${queryOf(words, types)} ${operator} ${queryOf(words, right)}`;
  const third = choices.oneIn(4)
    ? ` ${choices.pick(['union', 'intersect', 'except'])} ${queryOf(words, types)}`
    : '';
  return ordered(words, text + third, types);
}

function withQuery(words: Words): Query {
  const { choices } = words;
  const types = choices.many(1, 3, () => choices.pick(allTypes));
  const name = words.fresh('w');
  const columns = types.map(() => words.fresh('c'));
  const body = queryOf(words, types);
  const alias = words.fresh('t');
  const names = columns.map((column, i) => ({
    text: `${alias}.${column}`,
    type: types[i] as TypeName,
  }));
  const scope = { names, depth: 2 };
  const list = types.map((type) => expression(words, scope, type)).join(', ');
  const other = choices.oneIn(3) ? `, ${name} ${words.fresh('t')}` : '';
  return ordered(
    words,
    `with ${name}(${columns.join(', ')}) as (${body}) select ${list} from ${name} ${alias}${other}${where(words, scope)}`,
    types,
  );
}

function rowsQuery(words: Words): Query {
  const { choices } = words;
  const types = choices.many(1, 3, () => choices.pick(allTypes));
  const none = { names: [], depth: 1 };
  const rows = choices.many(
    1,
    3,
    () =>
      `(${types.map((type) => (choices.oneIn(3) ? words.untyped(type) : expression(words, none, type))).join(', ')})`,
  );
  const text = `values ${rows.join(', ')}`;
  if (choices.oneIn(2)) return { text, isOrdered: true, types };
  const table = choices.pick(tables);
  if (choices.oneIn(3))
    return {
      text: `table ${table.name}`,
      isOrdered: false,
      types: table.columns.map(({ type }) => type),
    };
  const columns = types.map((_, i) => `c${i + 1}`);
  return ordered(
    words,
    `select ${columns.join(', ')} from (${text}) v(${columns.join(', ')})`,
    types,
  );
}

function recursive(words: Words): Query {
  const { choices } = words;
  const union = choices.pick(['union all', 'union']);
  const most = choices.below(6);
  const table = choices.pick(['item', 'tag', 'log']);
  const text =
    choices.below(2) === 0
      ? `with recursive r(n) as (select 1 ${union} select n + 1 from r where n < ${most}) select n, n * 2 from r`
      : `with recursive r(n, x) as (select 1, ${table === 'log' ? 'b' : table === 'tag' ? 'label' : 'name'} from ${table} ${union} select r.n + 1, r.x from r where r.n < ${most}) select n, x from r`;
  return ordered(words, text, ['int4', 'text']);
}
