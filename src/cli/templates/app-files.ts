/** The small application of a template: its code, and a server that needs no package. */

import html from './files/html.ts.txt' with { type: 'text' };
import server from './files/server.ts.txt' with { type: 'text' };
import start from './files/start.js.txt' with { type: 'text' };
import type { Template } from './templates.ts';

type NamedText = readonly [name: string, text: string];

/** Directory of the generated client that the application imports. */
const clientDirectory = 'src/db';

/**
 * The value of `generate` in the configuration of the project. int64 values are numbers so that JSON and HTML can show them. Imports contain the extension of
 * the file because runtimes require it.
 */
export const appTargets = [
  { language: 'typescript', output: clientDirectory, int64: 'number', imports: 'ts' },
];

/** Returns the files of the application. `databaseUrl` is that of the project. */
export function appFiles(
  { app, hasPages }: Template,
  directory: string,
  databaseUrl: string,
): readonly NamedText[] {
  return [
    ['src/app.ts', app.replace("'DATABASE_URL'", () => quoted(databaseUrl))],
    ...(hasPages ? [['src/html.ts', html] as const] : []),
    ['src/server.ts', server],
    ['src/start.js', start],
    ['package.json', `${JSON.stringify(packageOf(directory), undefined, 2)}\n`],
    ['tsconfig.json', `${JSON.stringify(compilerOf, undefined, 2)}\n`],
  ];
}

/** Quotes an address, which contains neither quotes nor backslashes. The check of the answer rejects them. */
function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '')}'`;
}

function packageOf(directory: string) {
  return {
    // npm accepts only such names.
    name:
      directory
        .toLowerCase()
        .replace(/[^a-z0-9-]+/g, '-')
        .replace(/^-+|-+$/g, '') || 'app',
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: { start: 'node src/start.js', dev: 'node --watch src/start.js', check: 'tsc' },
    devDependencies: { '@types/node': '^22.0.0', typescript: '^7.0.0' },
  };
}

/** The options match runtimes that only strip types. */
const compilerOf = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
  include: ['src'],
};
