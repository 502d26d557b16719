/** Emits the files of a client in TypeScript, or in JavaScript with type declarations. */

import type { GeneratedFile } from '../../files/generated-file.ts';
import type { ClientModel } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import { vendoredRuntime } from '../runtime-text.ts';
import { modulePartsOf } from './module-text.ts';

const endings = { js: '.js', ts: '.ts', none: '' } as const;

/** Returns the files. `header` contains comment lines, and `runtimeHeader` those of the files that are the same for every schema. */
export function emitTypescript(
  model: ClientModel,
  target: Target,
  header: readonly string[],
  runtimeHeader: readonly string[],
): readonly GeneratedFile[] {
  const { emit, imports } = target;
  // The modules are JavaScript then, whatever ending is configured for imports.
  const ending = emit === 'js' ? '.js' : endings[imports];
  const files = emit === 'js' ? scriptOf(model, target, ending) : moduleOf(model, target, ending);
  return [...withHead(files, header), ...withHead(vendoredRuntime(emit, ending), runtimeHeader)];
}

function withHead(
  files: Readonly<Record<string, string>>,
  lines: readonly string[],
): readonly GeneratedFile[] {
  const head = `${lines.map((line) => `// ${line}\n`).join('')}/* eslint-disable */\n`;
  return Object.entries(files).map(([path, text]) => ({ path, text: head + text }));
}

function moduleOf(model: ClientModel, target: Target, ending: string) {
  const { types, metadata } = modulePartsOf(model, target);
  const text = `${loaded(ending)}
${types}
const tables: readonly svc.TableInfo[] = ${metadata};

/** The tables, where queries and statements begin. */
export const t: Tables = svc.tablesOf(tables) as never;

/** A client of the server at \`options.url\`. */
export function connect(options: svc.ClientOptions): svc.Client {
  return ${made(model)};
}
`;
  return { 'db.gen.ts': text };
}

/** Returns the client as a script and its type declarations. */
function scriptOf(model: ClientModel, target: Target, ending: string) {
  const { types, metadata } = modulePartsOf(model, target);
  const script = `${loaded(ending)}
const tables = ${metadata};

/** The tables, where queries and statements begin. */
export const t = svc.tablesOf(tables);

/** A client of the server at \`options.url\`. */
export function connect(options) {
  return ${made(model)};
}
`;
  const declarations = `${loaded(ending)}
${types}
/** The tables, where queries and statements begin. */
export declare const t: Tables;

/** A client of the server at \`options.url\`. */
export declare function connect(options: svc.ClientOptions): svc.Client;
`;
  return { 'db.gen.js': script, 'db.gen.d.ts': declarations };
}

function loaded(ending: string): string {
  const runtime = JSON.stringify(`./svc-runtime.gen${ending}`);
  return `import * as svc from ${runtime};\n\nexport * from ${runtime};\n`;
}

function made({ version, hash }: ClientModel): string {
  return `svc.createClient(svc.generatedOf(${version}, ${JSON.stringify(hash)}, tables), options)`;
}
