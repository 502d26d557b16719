/** Emits the text of the module: its interfaces, and one array with the metadata for the runtime. */

import { defaultFlag, nullableFlag } from '../../../../clients/typescript/runtime/table-info.ts';
import type { ClientModel, ModelColumn, ModelTable } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import { namesOf, type TableNames } from './naming.ts';
import { type NativeColumn, nativeOf } from './native.ts';

interface Table {
  readonly model: ModelTable;
  readonly names: TableNames;
  readonly natives: readonly NativeColumn[];
}

interface ModuleParts {
  /** Declarations, for both kinds of files. */
  readonly types: string;
  /** The array literal. */
  readonly metadata: string;
}

export function modulePartsOf(model: ClientModel, target: Target): ModuleParts {
  const names = namesOf(model, target);
  const tables = model.tables.map(
    (table, i): Table => ({
      model: table,
      names: names[i] as TableNames,
      natives: table.columns.map((column) =>
        nativeOf(model, table, column, target, (at) => (names[at] as TableNames).member),
      ),
    }),
  );
  return {
    types: [...tables.map((table) => interfacesOf(table, tables)), tablesInterface(tables)].join(
      '\n',
    ),
    metadata: `[\n${tables.map(metadataOf).join('')}]`,
  };
}

function interfacesOf(table: Table, tables: readonly Table[]): string {
  const { model, names, natives } = table;
  const isKey = (i: number) => model.keys[0]?.includes(i) ?? false;
  const fields = model.columns.map((column, i) => ({
    column,
    native: natives[i] as NativeColumn,
    member: memberText(names.columns[i] as string),
    isKey: isKey(i),
  }));
  const rows = fields.map(
    ({ member, native, column }) => `${member}: ${orNull(native.output, column)};`,
  );
  const added = fields.map(({ member, native, column }) =>
    column.nullable || column.hasDefault
      ? `${member}?: ${orNull(native.input, column)} | undefined;`
      : `${member}: ${native.input};`,
  );
  const patch = fields
    .filter((field) => !field.isKey)
    .map(
      ({ member, native, column }) => `${member}?: ${orNull(native.input, column)} | undefined;`,
    );
  const columns = fields.map(({ member, native }) => `readonly ${member}: ${native.expression};`);
  const relations = model.relations.map(({ kind, table: to }, i) => {
    const { type } = (tables[to] as Table).names;
    const sides = `[${type}Cols], [${type}Rels]`;
    const one = `svc.One<${type}, ${type}${kind === 'maybe' ? ' | null' : ''}, ${sides}>`;
    const found = kind === 'many' ? `svc.Query<${type}, ${sides}>` : one;
    return `readonly ${memberText(names.relations[i] as string)}: ${found};`;
  });
  const { type } = names;
  return [
    block(`${type}`, rows, `A row of ${shown(model.name)}.`),
    block(`${type}New`, added),
    block(`${type}Patch`, patch),
    block(`${type}Cols`, columns),
    block(`${type}Rels`, relations),
  ].join('');
}

function orNull(type: string, { nullable }: ModelColumn): string {
  return nullable ? `${type} | null` : type;
}

function block(name: string, lines: readonly string[], comment?: string): string {
  const head = comment === undefined ? '' : `/** ${comment} */\n`;
  if (lines.length === 0) return `${head}export interface ${name} {}\n`;
  return `${head}export interface ${name} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** Quotes a name for a comment. The characters that would end the comment are escaped. */
function shown(name: string): string {
  return JSON.stringify(name).replaceAll('*/', '*\\/');
}

function tablesInterface(tables: readonly Table[]): string {
  const lines = tables.map((table) => {
    const { model, names } = table;
    const { type } = names;
    const [key = '', ...others] = model.keys.map((positions) => keyText(table, positions));
    const unique = others.length === 0 ? '' : `, ${[key, ...others].join(' | ')}`;
    return `readonly ${memberText(names.member)}: svc.Table<${type}, ${type}New, ${type}Patch, ${type}Cols, ${type}Rels, ${key}${unique}>;`;
  });
  return block('Tables', lines);
}

function keyText({ names, natives }: Table, positions: readonly number[]): string {
  const members = positions.map(
    (i) => `readonly ${memberText(names.columns[i] as string)}: ${natives[i]?.input}`,
  );
  return `{ ${members.join('; ')} }`;
}

/** Returns the name of a member, quoted if the language requires it. */
function memberText(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
}

function metadataOf({ model, names, natives }: Table): string {
  const columns = model.columns.map(({ name, nullable, hasDefault }, i) => {
    const { code, format } = natives[i] as NativeColumn;
    const member = names.columns[i] as string;
    const flags = (nullable ? nullableFlag : 0) + (hasDefault ? defaultFlag : 0);
    const renamed = member !== name || format !== undefined ? [member] : [];
    return `      ${arrayText([name, code, flags, ...renamed, ...(format === undefined ? [] : [format])])},\n`;
  });
  const relations = model.relations.map(({ table, own, theirs, kind, through }, i) => {
    const between = through === undefined ? [] : [[through.table, through.own, through.theirs]];
    return `      ${arrayText([names.relations[i], table, own, theirs, kind, ...between])},\n`;
  });
  const member = names.member === model.name ? '' : `    ${JSON.stringify(names.member)},\n`;
  return [
    '  [\n',
    `    ${JSON.stringify(model.name)},\n`,
    `    [\n${columns.join('')}    ],\n`,
    `    ${arrayText(model.keys)},\n`,
    relations.length === 0 ? '    [],\n' : `    [\n${relations.join('')}    ],\n`,
    member,
    '  ],\n',
  ].join('');
}

function arrayText(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(arrayText).join(', ')}]` : JSON.stringify(value);
}
