/** Emits `__init__.py`, which exports the names of the modules that applications use. */

import type { ModelTable } from '../../model/client-model.ts';
import { runtimeNames } from '../runtime-text.ts';
import { brandsOf } from './brands.ts';
import type { Context } from './context.ts';

export function initText(context: Context, comment: readonly string[]): string {
  const { model, names } = context;
  const own = ['Client', 'AsyncClient', 'SCHEMA_VERSION', 'SCHEMA_HASH'];
  const tables = names.flatMap(({ type, variable: name }, i) => {
    const hasKey = model.tables[i] as ModelTable;
    const uniques = hasKey.keys.slice(1).map((_, k) => `${type}Unique${k + 1}`);
    const parts = ['', 'New', 'Patch', 'Cols', 'Outer', 'Key'].map((part) => type + part);
    return [name, ...parts, ...uniques];
  });
  const shown = [...own, ...tables, ...brandsOf(context).keys()];
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
