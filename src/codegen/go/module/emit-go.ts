/** Emits the Go client of a schema: one package of two files. */

import type { ClientModel } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import { goRuntime } from '../runtime-text.ts';
import { emitTable } from './emit-table.ts';
import { quoted } from './go-text.ts';
import { namesOf } from './names.ts';

/**
 * Returns the files of the package. `header` contains comment lines, and `runtimeHeader` those of the file that is the same for every schema. Throws an Error
 * for a configured name that is already taken in Go.
 */
export function emitGo(
  model: ClientModel,
  target: Target,
  header: readonly string[],
  runtimeHeader = header,
): readonly { readonly path: string; readonly text: string }[] {
  const names = namesOf(model, target);
  const tables = model.tables.flatMap((_, at) => emitTable({ model, target, names }, at));
  const needsTime = tables.some((line) => line.includes('time.Time'));
  const lines = [
    ...header.map((line) => `// ${line}`),
    '',
    `package ${target.package}`,
    '',
    ...(needsTime ? ['import "time"', ''] : []),
    '// SchemaVersion and SchemaHash are those of the schema that this client was generated from.',
    'const (',
    `\tSchemaVersion = ${model.version}`,
    `\tSchemaHash    = ${quoted(model.hash)}`,
    ')',
    '',
    '// Connect makes a client of a server: svc://host[:port], svcs://… (TLS), http(s)://…; nothing is sent yet.',
    'func Connect(url string, options ...Option) (*Client, error) {',
    `\treturn newClient(&generated{SchemaVersion, SchemaHash, []*table{${names.map(({ table }) => `genTable${table}`).join(', ')}}}, url, options)`,
    '}',
    '',
    ...tables,
  ];
  return [
    { path: 'svc_client_gen.go', text: `${lines.join('\n').trimEnd()}\n` },
    { path: 'svc_runtime_gen.go', text: goRuntime(target.package, runtimeHeader) },
  ];
}
