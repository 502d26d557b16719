/** Emits the Python client of a schema: one package of three modules. */

import type { GeneratedFile } from '../../files/generated-file.ts';
import type { ClientModel } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import { pythonRuntime } from '../runtime-text.ts';
import { emitBrands } from './brands.ts';
import { emitClasses } from './classes.ts';
import type { Context } from './context.ts';
import { initText } from './init-text.ts';
import { emitMetadata, emitVariable } from './metadata.ts';
import { namesOf } from './names.ts';
import { quoted } from './python-text.ts';

/** Returns the files of the package. Throws TargetError for a configured name that is already taken in Python. */
export function emitPython(
  model: ClientModel,
  target: Target,
  header: readonly string[],
  runtimeHeader: readonly string[],
): readonly GeneratedFile[] {
  const context = { model, target, names: namesOf(model, target) };
  const comment = header.map((line) => `# ${line}`);
  const module = target.package;
  return [
    { path: `${module}/__init__.py`, text: initText(context, comment) },
    { path: `${module}/_runtime.py`, text: pythonRuntime(runtimeHeader) },
    { path: `${module}/_tables.py`, text: tablesText(context, comment) },
    { path: `${module}/py.typed`, text: '' },
  ];
}

const imports = `from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NewType, NotRequired, TypedDict
from uuid import UUID

from . import _runtime as svc`;

const clients = `class Client(svc.Client):
    _generated = _schema


class AsyncClient(svc.AsyncClient):
    _generated = _schema`;

function tablesText(context: Context, comment: readonly string[]): string {
  const { version, hash, tables } = context.model;
  return [
    ...comment,
    '# fmt: off',
    '# ruff: noqa',
    '# pyright: basic',
    '"""The tables of the schema."""',
    '',
    imports,
    '',
    `SCHEMA_VERSION = ${version}`,
    `SCHEMA_HASH = ${quoted(hash)}`,
    '',
    ...emitBrands(context),
    ...tables.flatMap((_, at) => emitClasses(context, at)),
    '',
    '_schema = svc.schema_of(SCHEMA_VERSION, SCHEMA_HASH, [',
    ...tables.flatMap((_, at) => emitMetadata(context, at)),
    '])',
    '',
    ...tables.map((_, at) => emitVariable(context, at)),
    '',
    '',
    clients,
    '',
  ].join('\n');
}
