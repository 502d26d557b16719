/** The runtime of Python clients. Its files are joined to one module of the generated package. */

import asyncClient from '../../../clients/python/runtime/async_client.py' with { type: 'text' };
import attempts from '../../../clients/python/runtime/attempts.py' with { type: 'text' };
import cache from '../../../clients/python/runtime/cache.py' with { type: 'text' };
import callbacks from '../../../clients/python/runtime/callbacks.py' with { type: 'text' };
import client from '../../../clients/python/runtime/client.py' with { type: 'text' };
import compile from '../../../clients/python/runtime/compile.py' with { type: 'text' };
import errors from '../../../clients/python/runtime/errors.py' with { type: 'text' };
import expression from '../../../clients/python/runtime/expression.py' with { type: 'text' };
import forks from '../../../clients/python/runtime/forks.py' with { type: 'text' };
import page from '../../../clients/python/runtime/page.py' with { type: 'text' };
import query from '../../../clients/python/runtime/query.py' with { type: 'text' };
import relation from '../../../clients/python/runtime/relation.py' with { type: 'text' };
import schema from '../../../clients/python/runtime/schema.py' with { type: 'text' };
import statement from '../../../clients/python/runtime/statement.py' with { type: 'text' };
import table from '../../../clients/python/runtime/table.py' with { type: 'text' };
import transport from '../../../clients/python/runtime/transport.py' with { type: 'text' };
import wire from '../../../clients/python/runtime/wire.py' with { type: 'text' };
import { withOverloads } from './overloads.ts';

/** The files, ordered so that a base class precedes the classes that are derived from it. */
const parts: readonly string[] = [
  ...[errors, wire, expression, callbacks, query, table, relation, statement, compile, page],
  ...[forks, attempts, transport, schema, cache, client, asyncClient],
];

interface Part {
  /** Names by `from module import`. The list is empty for `import module`. */
  readonly imports: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
}

const headPattern = /^"""([\s\S]*?)"""\n\nfrom __future__ import annotations\n\n/;
const importPattern = /^(?:from ([\w.]+) import ([^#\n]+)|import ([\w.]+))(?: {2}#.*)?\n/;

function split(part: string): Part {
  const [head = '', said = ''] = headPattern.exec(part) ?? [];
  let rest = part.slice(head.length);
  const imports = new Map<string, readonly string[]>();
  for (;;) {
    const [line, from, names = '', module] = importPattern.exec(rest) ?? [];
    if (line === undefined) break;
    rest = rest.slice(line.length);
    if (from === undefined) imports.set(`import ${module}`, []);
    else imports.set(`from ${from} import`, names.trim().split(', '));
  }
  const comment = said
    .split('\n')
    .map((line) => `# ${line}`.trimEnd())
    .join('\n');
  return { imports, body: `${comment}\n${rest.trim()}` };
}

/** Returns the runtime as one module. `header` contains comment lines. */
export function pythonRuntime(header: readonly string[]): string {
  const files = parts.map(withOverloads).map(split);
  const modules = new Map<string, Set<string>>();
  for (const { imports } of files) {
    for (const [module, names] of imports) {
      modules.set(module, new Set([...(modules.get(module) ?? []), ...names]));
    }
  }
  const sorted = [...modules].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = sorted.map(([module, names]) =>
    names.size === 0 ? module : `${module} ${[...names].sort().join(', ')}`,
  );
  return [
    ...header.map((line) => `# ${line}`),
    '# fmt: off',
    '# ruff: noqa',
    '# pyright: basic, reportPrivateUsage=false',
    '',
    'from __future__ import annotations',
    '',
    ...lines,
    '',
    '',
    files.map(({ body }) => body).join('\n\n\n'),
    '',
  ].join('\n');
}

/** Returns the public names of the runtime. */
export function runtimeNames(): readonly string[] {
  const names = parts.flatMap((part) => [
    ...[...part.matchAll(/^(?:def|class|async def) ([A-Za-z]\w*)/gm)].map(
      ([, name]) => name as string,
    ),
    ...[...part.matchAll(/^([A-Za-z]\w*)(?:: \w+)? = /gm)].map(([, name]) => name as string),
  ]);
  return [...new Set(names)].sort();
}
