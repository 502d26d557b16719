/** The runtime of Go clients: its files, joined to one file of the generated package. */

import attempts from './runtime/attempts.go' with { type: 'text' };
import cache from './runtime/cache.go' with { type: 'text' };
import client from './runtime/client.go' with { type: 'text' };
import columns from './runtime/columns.go' with { type: 'text' };
import compile from './runtime/compile.go' with { type: 'text' };
import decoder from './runtime/decoder.go' with { type: 'text' };
import errors from './runtime/errors.go' with { type: 'text' };
import expression from './runtime/expression.go' with { type: 'text' };
import ids from './runtime/ids.go' with { type: 'text' };
import options from './runtime/options.go' with { type: 'text' };
import page from './runtime/page.go' with { type: 'text' };
import prepare from './runtime/prepare.go' with { type: 'text' };
import query from './runtime/query.go' with { type: 'text' };
import relation from './runtime/relation.go' with { type: 'text' };
import rows from './runtime/rows.go' with { type: 'text' };
import schema from './runtime/schema.go' with { type: 'text' };
import statement from './runtime/statement.go' with { type: 'text' };
import text from './runtime/text.go' with { type: 'text' };
import values from './runtime/values.go' with { type: 'text' };

/** In the order in which one reads them. */
const parts: readonly string[] = [
  ...[client, options, errors, values, columns, rows, statement, prepare, page],
  ...[expression, query, relation, compile, text, ids, decoder],
  ...[attempts, schema, cache],
];

const importsPattern = /^import (?:\(\n([^)]*)\)|(".*"))\n/m;

/** The body of a file, and what it imports. */
function split(part: string): { body: string; imports: readonly string[] } {
  const [whole = '', several = '', only = ''] = importsPattern.exec(part) ?? [];
  const imports = [...several.split('\n'), only].map((line) => line.trim()).filter(Boolean);
  const body = part.replace(whole, '').replace(/^package svc\n/m, '');
  return { body: body.trim(), imports };
}

/** One file of the package, as gofmt has it; `header` are comment lines. */
export function goRuntime(packageName: string, header: readonly string[]): string {
  const files = parts.map(split);
  const imports = [...new Set(files.flatMap((file) => file.imports))].sort();
  return [
    ...header.map((line) => `// ${line}`),
    '',
    `package ${packageName}`,
    '',
    'import (',
    ...imports.map((path) => `\t${path}`),
    ')',
    '',
    files.map(({ body }) => body).join('\n\n'),
    '',
  ].join('\n');
}

/** What the runtime calls its own, and applications can see: no table can be called so. */
export function runtimeNames(): ReadonlySet<string> {
  const names = parts.flatMap((part) => [
    ...[...part.matchAll(/^(?:func|type|var|const) ([A-Z]\w*)/gm)].map(
      ([, name]) => name as string,
    ),
    ...[...part.matchAll(/^\t([A-Z]\w*)(?: \w+)? += /gm)].map(([, name]) => name as string),
  ]);
  return new Set(names);
}
