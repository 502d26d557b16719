/** The runtime of Go clients: its files, joined to one file of the generated package. */

import attempts from '../../../clients/go/attempts.go' with { type: 'text' };
import cache from '../../../clients/go/cache.go' with { type: 'text' };
import client from '../../../clients/go/client.go' with { type: 'text' };
import columns from '../../../clients/go/columns.go' with { type: 'text' };
import compile from '../../../clients/go/compile.go' with { type: 'text' };
import decoder from '../../../clients/go/decoder.go' with { type: 'text' };
import errors from '../../../clients/go/errors.go' with { type: 'text' };
import expression from '../../../clients/go/expression.go' with { type: 'text' };
import ids from '../../../clients/go/ids.go' with { type: 'text' };
import kinds from '../../../clients/go/kinds.go' with { type: 'text' };
import options from '../../../clients/go/options.go' with { type: 'text' };
import page from '../../../clients/go/page.go' with { type: 'text' };
import prepare from '../../../clients/go/prepare.go' with { type: 'text' };
import query from '../../../clients/go/query.go' with { type: 'text' };
import relation from '../../../clients/go/relation.go' with { type: 'text' };
import rows from '../../../clients/go/rows.go' with { type: 'text' };
import schema from '../../../clients/go/schema.go' with { type: 'text' };
import statement from '../../../clients/go/statement.go' with { type: 'text' };
import text from '../../../clients/go/text.go' with { type: 'text' };
import values from '../../../clients/go/values.go' with { type: 'text' };

/**
 * Functions that what is generated for tables calls stay calls: a copy of each in each of them, and in each wrapper that the compiler makes of a method,
 * is most of what compiling a schema of many tables would cost, and they run once for a query, not once for a row.
 */
const asCalls = (part: string) =>
  part.replace(
    /(^\/\/ .*\n)?^func /gm,
    (_, comment = '') => `${comment}${comment === '' ? '' : '//\n'}//go:noinline\nfunc `,
  );

/** In the order in which one reads them. */
const parts: readonly string[] = [
  ...[client, values, kinds, columns, rows, statement, prepare, page].map(asCalls),
  ...[expression, query].map(asCalls),
  ...[options, errors, relation, compile, text, ids, decoder, attempts, schema, cache],
];

/** A generated file says so in front of it. */
const packagePattern = /^(?:\/\/ .*\n\n)?package svc\n/;
const importsPattern = /^import (?:\(\n([^)]*)\)|(".*"))\n/m;

/** The body of a file, and what it imports. */
function split(part: string): { body: string; imports: readonly string[] } {
  const [whole = '', several = '', only = ''] = importsPattern.exec(part) ?? [];
  const imports = [...several.split('\n'), only].map((line) => line.trim()).filter(Boolean);
  const body = part.replace(whole, '').replace(packagePattern, '');
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
    '// What runs once for a query is not inlined: a copy in each function that is generated for a table would make a package of many tables slow to compile.',
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
