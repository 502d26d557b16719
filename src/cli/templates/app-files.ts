/** The small application that comes with a template: what it answers, and a server that needs no package. */

import html from './files/html.ts.txt' with { type: 'text' };
import server from './files/server.ts.txt' with { type: 'text' };
import start from './files/start.js.txt' with { type: 'text' };
import type { Template } from './templates.ts';

type NamedText = readonly [name: string, text: string];

/** Where `svc generate` puts the client that the application imports. */
const clientDirectory = 'src/db';

/** For `generate` of the project's configuration. Numbers are what JSON and HTML show; runtimes take imports by the names of the files. */
export const appTargets = [
  { language: 'typescript', output: clientDirectory, int64: 'number', imports: 'ts' },
];

/** `databaseUrl`: of the project. */
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

/** An address has neither quotes nor backslashes; what asks for it does not let them through. */
function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '')}'`;
}

function packageOf(directory: string) {
  return {
    // What npm takes for a name.
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

/** As runtimes read the files: types are taken away, nothing else. */
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
