/** Go names for the objects of a schema. */

import { freeName, relationPlaces } from '../../model/assign-names.ts';
import type { ClientModel, ModelTable } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import { runtimeNames } from '../runtime-text.ts';

const initialisms = new Set(
  'API ASCII CPU CSS DB DNS EOF GUID HTML HTTP HTTPS ID IP JSON LHS QPS RAM RHS RPC SLA SMTP SQL SSH TCP TLS TTL UDP UI UID ULID URI URL UTF8 UUID VM XID XML'.split(
    ' ',
  ),
);

/**
 * Converts a name to an exported Go name: `created_at` to CreatedAt, `author_id` to AuthorID. A name whose first character has no upper case gets the prefix X.
 */
function goName(name: string): string {
  const runs = name.match(/[\p{L}\p{Nd}]+/gu) ?? [];
  const text = runs
    .map((run) => {
      const upper = run.toUpperCase();
      if (initialisms.has(upper)) return upper;
      const [first = ''] = run;
      return first.toUpperCase() + run.slice(first.length);
    })
    .join('');
  return /^\p{Lu}/u.test(text) ? text : `X${text}`;
}

/** Converts a Go name to a parameter name: AuthorID to authorID, ID to id. */
export function parameterName(goNameOf: string): string {
  const [head = ''] = /^[A-Z]+(?![a-z])|^\p{Lu}/u.exec(goNameOf) ?? [];
  const name = head.toLowerCase() + goNameOf.slice(head.length);
  return takenParameters.has(name) ? `${name}_` : name;
}

const takenParameters = new Set(
  (
    'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return ' +
    'select struct switch type var nil true false string int64 float64 bool byte append len s q sets sure rows merge keys source'
  ).split(' '),
);

/** Returns the name of one row of a table: `posts` gives Post, `categories` gives Category. A name without a plural ending gets the suffix Row. */
function rowName(table: string): string {
  if (/[^aeiou]ies$/i.test(table)) return `${table.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x)es$/i.test(table)) return table.slice(0, -2);
  if (/[^sui]s$/i.test(table)) return table.slice(0, -1);
  return `${table}Row`;
}

/** Members of scopes that are not columns. */
const scopeMembers =
  'Query Where OrderBy Limit Offset Named Maybe Only Exists CountExpr All First One Count Page Pages Run UpdateWhere DeleteWhere'.split(
    ' ',
  );

export interface TableNames {
  /** The variable that applications start from. */
  readonly table: string;
  /** The row type. The names of further types contain it. */
  readonly row: string;
  readonly columns: readonly string[];
  readonly relations: readonly string[];
}

/** Returns all names that a table adds to the package. */
function topNames(table: string, row: string): readonly string[] {
  const suffixes = ['', 'New', 'Key', 'Cols', 'Scope', 'Outer', 'One', 'Maybe'];
  return [table, `${table}Table`, `Into${row}`, ...suffixes.map((suffix) => row + suffix)];
}

/** Returns the names of all tables, by position. Throws an Error for a chosen name that is already taken. */
export function namesOf(model: ClientModel, target: Target): readonly TableNames[] {
  const used = new Set([...runtimeNames(), 'Connect', 'SchemaVersion', 'SchemaHash']);
  const found = new Map<ModelTable, readonly [string, string]>();
  const take = (table: ModelTable, name: string, row: string, isChosen: boolean): boolean => {
    const all = topNames(name, row);
    if (all.some((one) => used.has(one)) || new Set(all).size < all.length) {
      if (isChosen) throw new Error(`names: ${name} for ${table.name} is taken in Go`);
      return false;
    }
    for (const one of all) used.add(one);
    found.set(table, [name, row]);
    return true;
  };
  for (const table of model.tables) {
    const chosen = target.names.get(table.name)?.value;
    if (chosen !== undefined) take(table, goName(chosen), rowName(goName(chosen)), true);
  }
  for (const table of [...model.tables].sort((a, b) => a.id - b.id)) {
    if (found.has(table)) continue;
    const name = goName(table.name);
    for (let turn = 0; !found.has(table); turn++) {
      const more = turn === 0 ? '' : `_${table.id}${turn === 1 ? '' : `_${turn}`}`;
      take(table, name + more, rowName(name) + more, false);
    }
  }
  return model.tables.map((table) => {
    const [name, row] = found.get(table) as readonly [string, string];
    return { table: name, row, ...memberNames(table, row, target) };
  });
}

function memberNames(table: ModelTable, row: string, target: Target) {
  const used = new Set([...scopeMembers, `${row}Cols`]);
  const names = new Map<unknown, string>();
  for (const column of table.columns) {
    const chosen = target.names.get(`${table.name}.${column.name}`)?.value;
    if (chosen === undefined) continue;
    const name = goName(chosen);
    if (used.has(name))
      throw new Error(`names: ${chosen} for ${table.name}.${column.name} is taken in Go`);
    used.add(name);
    names.set(column, name);
  }
  const take = (thing: unknown, plain: string, more: string) => {
    const name = freeName(plain, more, (one) => !used.has(one));
    used.add(name);
    names.set(thing, name);
  };
  for (const column of [...table.columns].sort((a, b) => a.id - b.id)) {
    if (!names.has(column)) take(column, goName(column.name), String(column.id));
  }
  for (const relation of table.relations) {
    const chosen = target.relations.get(relation.key)?.value[relationPlaces[relation.direction]];
    const plain = goName(chosen ?? relation.name);
    take(relation, used.has(plain) ? goName(relation.key) : plain, 'by');
  }
  return {
    columns: table.columns.map((column) => names.get(column) as string),
    relations: table.relations.map((relation) => names.get(relation) as string),
  };
}
