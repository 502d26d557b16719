/** Random schemas: up to three tables with keys of every kind, indexes, defaults, and foreign keys between them and to themselves. */

import type {
  CatalogChange,
  ColumnDefault,
  ColumnDefinition,
  ForeignKeyDefinition,
  IndexDefinition,
} from '#catalog';
import { foreignKeyActions } from '#catalog';
import type { ScalarType } from '#value';
import type { Choices } from './choices.ts';
import type { GeneratedColumn } from './scope.ts';
import { scalars } from './values.ts';

export interface TableShape {
  readonly id: number;
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  readonly primaryKey: readonly string[];
  readonly indexes: readonly IndexDefinition[];
  readonly foreignKeys: readonly ForeignKeyDefinition[];
}

export interface Schema {
  readonly tables: readonly TableShape[];
  readonly changes: readonly CatalogChange[];
}

const keyTypes: readonly ScalarType[] = [
  'int64',
  'int64',
  'text',
  'text',
  'float64',
  'bytes',
  'bool',
];

export function generateSchema(choices: Choices): Schema {
  const tables: TableShape[] = [];
  choices.many(1, 3, (i) => tables.push(generateTable(choices, i + 1, tables)));
  return schemaOf(tables);
}

export function schemaOf(tables: readonly TableShape[]): Schema {
  return { tables, changes: tables.map(createTable) };
}

function createTable({ id, name, columns, primaryKey, indexes, foreignKeys }: TableShape) {
  return {
    kind: 'create_table',
    table: { id, name, columns, primary_key: primaryKey, indexes, foreign_keys: foreignKeys },
  } as const;
}

function generateTable(choices: Choices, id: number, earlier: readonly TableShape[]): TableShape {
  const name = `t${id}`;
  const keys = choices.many(1, choices.oneIn(4) ? 2 : 1, (i): ColumnDefinition => {
    const type = choices.pick(keyTypes);
    const isCounted = i === 0 && type === 'int64' && choices.oneIn(6);
    return { id: i + 1, name: `k${i}`, type, ...(isCounted && { default: increment }) };
  });
  const others = choices.many(1, 3, (i) => generateColumn(choices, keys.length + 1 + i, `c${i}`));
  const plain = [...keys, ...others];
  const primaryKey = keys.map((column) => column.name);
  const self = { id, name, columns: plain, primaryKey, indexes: [], foreignKeys: [] };
  const links: Link[] = [];
  for (const parent of parentsOf(choices, self, earlier)) {
    const first = plain.length + links.flatMap((link) => link.columns).length + 1;
    links.push(linkTo(choices, name, parent, links.length, first));
  }
  const columns = [...plain, ...links.flatMap((link) => link.columns)];
  const foreignKeys = links.map((link) => link.definition);
  const indexes = generateIndexes(choices, name, columns, links);
  return { id, name, columns, primaryKey, indexes, foreignKeys };
}

const increment: ColumnDefault = { kind: 'generator', func: 'increment' };
const literalDefaults: Readonly<Record<ScalarType, string | number | boolean>> = {
  int64: 7,
  float64: 0.5,
  text: 'dflt',
  bool: true,
  bytes: 'AA==',
};

export function generateColumn(choices: Choices, id: number, name: string): ColumnDefinition {
  const type = choices.pick(scalars);
  const nullable = !choices.oneIn(3);
  const format = type === 'bytes' && choices.oneIn(3) ? 'uuid' : undefined;
  const isDefaulted = format === undefined && choices.oneIn(6);
  const isCounted = isDefaulted && type === 'int64' && choices.oneIn(2);
  const literal = { kind: 'literal', value: literalDefaults[type] } as const;
  return {
    id,
    name,
    type,
    nullable,
    ...(format !== undefined && { format }),
    ...(isDefaulted && { default: isCounted ? increment : literal }),
  };
}

function parentsOf(
  choices: Choices,
  self: TableShape,
  earlier: readonly TableShape[],
): readonly TableShape[] {
  const parents = earlier.length > 0 && !choices.oneIn(5) ? [choices.pick(earlier)] : [];
  // Often the same parent again: two keys with different actions may be about the same rows.
  if (choices.oneIn(2)) parents.push(choices.pick([...parents, ...parents, ...earlier, self]));
  return parents;
}

interface Link {
  readonly columns: readonly ColumnDefinition[];
  readonly definition: ForeignKeyDefinition;
}

function linkTo(
  choices: Choices,
  table: string,
  parent: TableShape,
  at: number,
  firstId: number,
): Link {
  const nullable = !choices.oneIn(4);
  const columns = parent.primaryKey.map((key, i): ColumnDefinition => {
    const { type } = parent.columns.find((column) => column.name === key) as ColumnDefinition;
    return { id: firstId + i, name: `r${at}${i}`, type, nullable };
  });
  const action = choices.pick(foreignKeyActions);
  const definition: ForeignKeyDefinition = {
    name: `${table}_fk${at}`,
    columns: columns.map((column) => column.name),
    ref_table: parent.name,
    ref_columns: parent.primaryKey,
    on_delete: action === 'set_null' && !nullable ? 'cascade' : action,
  };
  return { columns, definition };
}

function generateIndexes(
  choices: Choices,
  table: string,
  columns: readonly ColumnDefinition[],
  links: readonly Link[],
): IndexDefinition[] {
  const random = choices.many(0, 2, (i) => generateIndex(choices, `${table}_i${i}`, columns));
  const onLinks = links
    .filter(() => choices.oneIn(2))
    .map(({ definition: { name, columns: names } }) => ({ name: `${name}_i`, columns: names }));
  return [...random, ...onLinks];
}

export function generateIndex(
  choices: Choices,
  name: string,
  columns: readonly ColumnDefinition[],
): IndexDefinition {
  const first = choices.pick(columns).name;
  const second = choices.pick(columns).name;
  const isWide = first !== second && choices.oneIn(2);
  const used = isWide ? [first, second] : [first];
  // At most three rows could keep a unique truth value.
  const isNarrow = used.every((name) => typeOf(columns, name) === 'bool');
  return { name, columns: used, unique: choices.oneIn(isNarrow ? 20 : 4) };
}

function typeOf(columns: readonly ColumnDefinition[], name: string): ScalarType | undefined {
  return columns.find((column) => column.name === name)?.type;
}

export function canBeAbsent(column: ColumnDefinition): boolean {
  return column.nullable === true || column.default !== undefined;
}

export function shapeColumns(table: TableShape): readonly GeneratedColumn[] {
  return table.columns.map(({ name, type, nullable }) => ({
    name,
    type,
    nullable: nullable ?? false,
  }));
}

/** What lookups can go by. */
export function pathsOf(table: TableShape): readonly (readonly string[])[] {
  return [table.primaryKey, ...table.indexes.map((index) => index.columns)];
}
