/** The runtime of Go clients. Its files are joined to one file of the generated package. */

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
 * Marks the functions of a file as not inlinable. The generated code of each table calls these functions. A copy in each of its functions, and in each method
 * wrapper that the compiler adds, would be most of the cost of compiling a schema with many tables. The functions run once per query, not once per row.
 */
const asCalls = (part: string) =>
  part.replace(
    /(^\/\/ .*\n)?^func /gm,
    (_, comment = '') => `${comment}${comment === '' ? '' : '//\n'}//go:noinline\nfunc `,
  );

/** The files in reading order. */
const parts: readonly string[] = [
  ...[client, values, kinds, columns, rows, statement, prepare, page].map(asCalls),
  ...[expression, query].map(asCalls),
  ...[options, errors, relation, compile, text, ids, decoder, attempts, schema, cache],
];

/** The package clause with the comment before it. The header of the generated file replaces both. */
const packagePattern = /^(?:\/\/ .*\n\n)?package svc\n/;
const importsPattern = /^import (?:\(\n([^)]*)\)|(".*"))\n/m;

/** Splits a file into its body and its imports. */
function split(part: string): { body: string; imports: readonly string[] } {
  const [whole = '', several = '', only = ''] = importsPattern.exec(part) ?? [];
  const imports = [...several.split('\n'), only].map((line) => line.trim()).filter(Boolean);
  const body = part.replace(whole, '').replace(packagePattern, '');
  return { body: body.trim(), imports };
}

/** Returns the runtime as one file of the package, in the format of gofmt. `header` contains comment lines. */
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
    '// Functions that run once per query are not inlined: a copy in each function that is generated for a table would make a package of many tables slow to compile.',
    '',
    files.map(({ body }) => body).join('\n\n'),
    '',
  ].join('\n');
}

/** Returns the exported names of the runtime, which tables cannot have. */
export function runtimeNames(): ReadonlySet<string> {
  const names = parts.flatMap((part) => [
    ...[...part.matchAll(/^(?:func|type|var|const) ([A-Z]\w*)/gm)].map(
      ([, name]) => name as string,
    ),
    ...[...part.matchAll(/^\t([A-Z]\w*)(?: \w+)? += /gm)].map(([, name]) => name as string),
  ]);
  return new Set(names);
}
