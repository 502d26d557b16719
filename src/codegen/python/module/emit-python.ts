/** The Python client of a schema: one package of three modules. */

import type { GeneratedFile } from '../../files/generated-file.ts';
import type {
  ClientModel,
  ModelColumn,
  ModelRelation,
  ModelTable,
} from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import { pythonRuntime, runtimeNames } from '../runtime-text.ts';
import {
  bareType,
  brandOf,
  type ColumnType,
  columnType,
  expressionType,
  nullable,
} from './column-type.ts';
import { namesOf, type TableNames } from './names.ts';

interface Context {
  readonly model: ClientModel;
  readonly target: Target;
  readonly names: readonly TableNames[];
}

interface Shown {
  readonly column: ModelColumn;
  readonly name: string;
  readonly type: ColumnType;
}

/** A text of Python: JSON's escapes are its own, but for characters beyond the first plane, which stand as they are. */
const quoted = (text: string) =>
  JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

const told = (text: string) => quoted(text).slice(1, -1).replaceAll('"', "'");

/** Throws TargetError for names of the configuration that Python has taken. */
export function emitPython(
  model: ClientModel,
  target: Target,
  header: readonly string[],
  runtimeHeader: readonly string[],
): readonly GeneratedFile[] {
  const names = namesOf(model, target);
  const context = { model, target, names };
  const comment = header.map((line) => `# ${line}`);
  const module = target.package;
  const lines = [
    ...comment,
    '# fmt: off',
    '# ruff: noqa',
    '# pyright: basic',
    '"""The tables of the schema."""',
    '',
    'from __future__ import annotations',
    '',
    'from dataclasses import dataclass',
    'from datetime import datetime',
    'from typing import Any, NewType, NotRequired, TypedDict',
    'from uuid import UUID',
    '',
    'from . import _runtime as svc',
    '',
    `SCHEMA_VERSION = ${model.version}`,
    `SCHEMA_HASH = ${quoted(model.hash)}`,
    '',
    ...brands(context),
    ...model.tables.flatMap((_, at) => classes(context, at)),
    '',
    '_schema = svc.schema_of(SCHEMA_VERSION, SCHEMA_HASH, [',
    ...model.tables.flatMap((_, at) => metadata(context, at)),
    '])',
    '',
    ...model.tables.map((_, at) => variable(context, at)),
    '',
    '',
    'class Client(svc.Client):',
    '    _generated = _schema',
    '',
    '',
    'class AsyncClient(svc.AsyncClient):',
    '    _generated = _schema',
  ];
  return [
    { path: `${module}/__init__.py`, text: initText(context, comment) },
    { path: `${module}/_runtime.py`, text: pythonRuntime(runtimeHeader) },
    { path: `${module}/_tables.py`, text: `${lines.join('\n')}\n` },
    { path: `${module}/py.typed`, text: '' },
  ];
}

/** What users of the package see. */
function initText({ model, names, target }: Context, comment: readonly string[]): string {
  const own = ['Client', 'AsyncClient', 'SCHEMA_VERSION', 'SCHEMA_HASH'];
  const brandNames = target.ids === 'branded' ? brandsOf({ model, names, target }) : new Map();
  const tables = names.flatMap(({ type, variable: name }, i) => {
    const hasKey = model.tables[i] as ModelTable;
    const uniques = hasKey.keys.slice(1).map((_, k) => `${type}Unique${k + 1}`);
    const parts = ['', 'New', 'Patch', 'Cols', 'Outer', 'Key'].map((part) => type + part);
    return [name, ...parts, ...uniques];
  });
  const shown = [...own, ...tables, ...brandNames.keys()];
  const runtime = runtimeNames().filter((name) => !own.includes(name));
  const line = (from: string, name: string) => `from .${from} import ${name} as ${name}`;
  return [
    ...comment,
    '# fmt: off',
    '# ruff: noqa',
    ...runtime.map((name) => line('_runtime', name)),
    ...shown.map((name) => line('_tables', name)),
    '',
  ].join('\n');
}

function brandsOf({ model, names, target }: Context): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { columns } of model.tables) {
    for (const column of columns) {
      const name = brandOf(model, names, column);
      if (name !== undefined) found.set(name, bareType(column, target));
    }
  }
  return found;
}

function brands(context: Context): readonly string[] {
  if (context.target.ids !== 'branded') return [];
  return [...brandsOf(context)].map(
    ([name, type]) => `${name} = NewType(${quoted(name)}, ${type})`,
  );
}

function classes(context: Context, at: number): readonly string[] {
  const { model, target, names } = context;
  const table = model.tables[at] as ModelTable;
  const own = names[at] as TableNames;
  const [primary = []] = table.keys;
  const shown = table.columns.map(
    (column, i): Shown => ({
      column,
      name: own.columns[i] as string,
      type: columnType(model, target, names, column),
    }),
  );
  const block = (head: readonly string[], body: readonly string[]) => [
    '',
    '',
    ...head,
    ...(body.length === 0 ? ['    pass'] : body.map((line) => `    ${line}`)),
  ];
  const { type } = own;
  const columns = (isOuter: boolean) =>
    shown.map(({ column, name, type: of }) => {
      return `${name}: ${expressionType(of, column.nullable || isOuter)}`;
    });
  const relations = table.relations.map((relation, i) => {
    return `${own.relations[i]}: ${relationType(names, relation)}`;
  });
  return [
    ...block(
      target.rows === 'dict'
        ? [`class ${type}(TypedDict):`]
        : ['@dataclass(frozen=True, slots=True)', `class ${type}:`],
      [
        `"""A row of ${told(table.name)}."""`,
        '',
        ...shown.map(({ column, name, type: of }) => {
          return `${name}: ${nullable(of.native, column.nullable)}`;
        }),
      ],
    ),
    ...block(
      [`class ${type}New(TypedDict):`],
      shown.map(({ column, name, type: of }) => {
        const value = nullable(of.native, column.nullable);
        const isFree = column.nullable || column.hasDefault;
        return `${name}: ${isFree ? `NotRequired[${value}]` : value}`;
      }),
    ),
    ...block(
      [`class ${type}Patch(TypedDict, total=False):`],
      shown
        .filter((_, i) => !primary.includes(i))
        .map(({ column, name, type: of }) => {
          const value = nullable(of.native, column.nullable);
          return `${name}: ${value} | ${expressionType(of, column.nullable)}`;
        }),
    ),
    ...table.keys.flatMap((key, i) =>
      block(
        [`class ${type}${i === 0 ? 'Key' : `Unique${i}`}(TypedDict):`],
        key.map((position) => {
          const { name, type: of } = shown[position] as Shown;
          return `${name}: ${of.native} | ${expressionType(of, false).replace(/[^[, ]+\]$/, 'Any]')}`;
        }),
      ),
    ),
    ...block([`class ${type}Cols(svc.Columns):`], [...columns(false), ...relations]),
    ...block([`class ${type}Outer(svc.Columns):`], columns(true)),
  ];
}

function relationType(names: readonly TableNames[], { kind, table }: ModelRelation): string {
  const { type } = names[table] as TableNames;
  if (kind === 'many') return `svc.TableRows[${type}, ${type}Cols, ${type}Outer]`;
  const row = kind === 'one' ? `One[${type}` : `Maybe[${type} | None`;
  return `svc.${row}, ${type}Cols]`;
}

const list = (positions: readonly number[]) => `[${positions.join(', ')}]`;

function metadata({ model, target, names }: Context, at: number): readonly string[] {
  const table = model.tables[at] as ModelTable;
  const own = names[at] as TableNames;
  const columns = table.columns.map((column, i) => {
    const { code } = columnType(model, target, names, column);
    const isTold = { u: 'uuid', l: 'ulid', d: 'xid', D: 'unix_ms' }[code] === column.format;
    const format = column.format === undefined || isTold ? '' : `, ${quoted(column.format)}`;
    const flags = [column.nullable, column.hasDefault].map((flag) => (flag ? 'True' : 'False'));
    const name = own.columns[i] as string;
    return `        (${quoted(column.name)}, ${quoted(name)}, ${quoted(code)}, ${flags.join(', ')}${format}),`;
  });
  const relations = table.relations.map((relation, i) => {
    const { table: to, own: mine, theirs, kind, through } = relation;
    const between =
      through === undefined
        ? ''
        : `, (${through.table}, ${list(through.own)}, ${list(through.theirs)})`;
    const name = own.relations[i] as string;
    return `        (${quoted(name)}, ${to}, ${list(mine)}, ${list(theirs)}, ${quoted(kind)}${between}),`;
  });
  return [
    `    (${quoted(table.name)}, ${own.type}, [`,
    ...columns,
    `    ], [${table.keys.map(list).join(', ')}], [`,
    ...relations,
    '    ]),',
  ];
}

function variable({ model, target, names }: Context, at: number): string {
  const table = model.tables[at] as ModelTable;
  const { type, variable: name } = names[at] as TableNames;
  const [primary = []] = table.keys;
  const [only] = primary;
  const single =
    primary.length === 1
      ? columnType(model, target, names, table.columns[only as number] as ModelColumn).native
      : undefined;
  const key = single === undefined ? `${type}Key` : `${single} | ${type}Key`;
  const unique = [`${type}Key`, ...table.keys.slice(1).map((_, i) => `${type}Unique${i + 1}`)];
  const kinds = [type, `${type}Cols`, `${type}Outer`, `${type}New`, `${type}Patch`, key];
  return `${name}: svc.Table[${kinds.join(', ')}, ${unique.join(' | ')}] = svc.Table(_schema, ${at})`;
}
