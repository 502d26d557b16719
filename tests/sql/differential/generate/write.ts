/** Statements that change rows. */

import { type Column, type Table, type TypeName, tables } from '../tables.ts';
import { condition, expression } from './expression.ts';
import { namesOf, queryOf } from './query.ts';
import type { Words } from './words.ts';

export interface Write {
  readonly text: string;
  /** Whether the rows of RETURNING have the order of the input. */
  readonly isOrdered: boolean;
  readonly changes: string;
}

export function write(words: Words): Write {
  switch (words.choices.below(6)) {
    case 0:
    case 1:
    case 2:
      return insert(words);
    case 3:
    case 4:
      return update(words);
    default:
      return remove(words);
  }
}

function insert(words: Words): Write {
  const { choices } = words;
  const table = choices.pick(tables);
  if (choices.oneIn(12))
    return {
      text: `insert into ${table.name} default values${returning(words, table, table.name)}`,
      isOrdered: true,
      changes: table.name,
    };
  const fromQuery = choices.oneIn(4);
  const given = choices.oneIn(3)
    ? table.columns
    : table.columns.filter((column) => !isOmitted(words, column, fromQuery));
  const columns = given.length === 0 ? table.columns : given;
  const list =
    choices.oneIn(4) && columns === table.columns
      ? ''
      : ` (${columns.map(({ name }) => name).join(', ')})`;
  const source = fromQuery
    ? queryOf(
        words,
        columns.map(({ type }) => type),
      )
    : `values ${choices.many(1, 3, () => `(${columns.map((column) => cell(words, table, column)).join(', ')})`).join(', ')}`;
  const conflict = choices.oneIn(3) ? onConflict(words, table) : '';
  if (fromQuery || source.includes('), (')) words.deviations.add('error_order');
  if (conflict.includes('update')) words.deviations.add('key_twice');
  if (fromQuery && conflict.includes('nothing')) words.deviations.add('conflicts_in_query');
  const text = `insert into ${table.name}${list} ${source}${conflict}${returning(words, table, table.name)}`;
  return { text, isOrdered: !fromQuery && conflict === '', changes: table.name };
}

/** Numbers for some rows only would come from another mark: svc counts from the highest number that is stored. */
function isOmitted(words: Words, column: Column, fromQuery: boolean): boolean {
  // A query without an order numbers its rows in any order.
  if (column.default === 'serial') return !fromQuery && words.choices.below(4) > 0;
  return (column.isNullable || column.default !== undefined) && words.choices.oneIn(3);
}

function cell(words: Words, table: Table, column: Column): string {
  const { choices } = words;
  if (table.references?.column === column.name && !choices.oneIn(3))
    return choices.pick(['1', 'null', '2']);
  if (
    column.default !== 'serial' &&
    (column.default !== undefined || column.isNullable) &&
    choices.oneIn(6)
  )
    return 'default';
  if (choices.below(2) === 0) return words.untyped(column.type);
  return expression(words, { names: [], depth: 1 }, assigned(words, column.type));
}

/** The type of an expression for a column: sometimes one that is only assigned to it. */
function assigned(words: Words, type: TypeName): TypeName {
  if (!words.choices.oneIn(6)) return type;
  if (type === 'int2' || type === 'int4') return 'int8';
  if (type === 'varchar(6)') return 'text';
  return type;
}

function onConflict(words: Words, table: Table): string {
  const { choices } = words;
  const target = table.unique !== undefined && choices.oneIn(2) ? table.unique : table.key;
  const arbiter = target.length === 0 ? '' : ` (${target.join(', ')})`;
  if (target.length === 0 || choices.below(2) === 0)
    return ` on conflict${choices.oneIn(3) && table.unique === undefined ? '' : arbiter} do nothing`;
  const others = table.columns.filter(
    ({ name }) => !target.includes(name) && !table.key.includes(name),
  );
  if (others.length === 0) return ` on conflict${arbiter} do nothing`;
  const names = [...namesOf(table, table.name), ...namesOf(table, 'excluded')];
  const set = choices.pick(others);
  const value = choices.oneIn(3)
    ? expression(words, { names, depth: 1 }, set.type)
    : `excluded.${set.name}`;
  const where = choices.oneIn(4) ? ` where ${condition(words, { names, depth: 1 })}` : '';
  return ` on conflict${arbiter} do update set ${set.name} = ${value}${where}`;
}

function update(words: Words): Write {
  const { choices } = words;
  const table = choices.pick(tables);
  words.deviations.add('error_order');
  words.deviations.add('statement_end');
  const alias = choices.oneIn(2) ? words.fresh('t') : table.name;
  const own = namesOf(table, alias);
  const partner = choices.oneIn(4)
    ? choices.pick(tables.filter((other) => other !== table))
    : undefined;
  const name = words.fresh('p');
  const names = partner === undefined ? own : [...own, ...namesOf(partner, name)];
  if (partner !== undefined) words.deviations.add('several_partners');
  const scope = { names, depth: 2 };
  const free = table.columns.filter((column) => !table.key.includes(column.name));
  const first = choices.pick(free);
  const second = choices.oneIn(3)
    ? choices.pick(free.filter((column) => column !== first))
    : undefined;
  const sets = [first, ...(second === undefined ? [] : [second])].map(
    (column) =>
      `${column.name} = ${column.default !== undefined && choices.oneIn(8) ? 'default' : expression(words, { ...scope, depth: 1 }, assigned(words, column.type))}`,
  );
  const from = partner === undefined ? '' : ` from ${partner.name} ${name}`;
  const where = choices.oneIn(5) ? '' : ` where ${condition(words, scope)}`;
  const as = alias === table.name ? '' : ` as ${alias}`;
  return {
    text: `update ${table.name}${as} set ${sets.join(', ')}${from}${where}${returning(words, table, alias)}`,
    isOrdered: false,
    changes: table.name,
  };
}

function remove(words: Words): Write {
  const { choices } = words;
  const table = choices.pick(tables);
  words.deviations.add('error_order');
  const alias = choices.oneIn(2) ? words.fresh('t') : table.name;
  const partner = choices.oneIn(4)
    ? choices.pick(tables.filter((other) => other !== table))
    : undefined;
  const name = words.fresh('p');
  const names = [
    ...namesOf(table, alias),
    ...(partner === undefined ? [] : namesOf(partner, name)),
  ];
  if (partner !== undefined) words.deviations.add('several_partners');
  const using = partner === undefined ? '' : ` using ${partner.name} ${name}`;
  const as = alias === table.name ? '' : ` as ${alias}`;
  const where = ` where ${condition(words, { names, depth: 2 })}`;
  return {
    text: `delete from ${table.name}${as}${using}${where}${returning(words, table, alias)}`,
    isOrdered: false,
    changes: table.name,
  };
}

function returning(words: Words, table: Table, alias: string): string {
  const { choices } = words;
  switch (choices.below(4)) {
    case 0:
      return '';
    case 1:
      return ' returning *';
    case 2:
      return ` returning ${choices.many(1, 2, () => choices.pick(table.columns).name).join(', ')}`;
    default: {
      const scope = { names: namesOf(table, alias), depth: 1 };
      const column = choices.pick(table.columns);
      return ` returning ${expression(words, scope, column.type)} as x, ${alias}.${column.name}`;
    }
  }
}
