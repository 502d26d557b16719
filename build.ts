/** `npm run build`: generates schemas/, deploy/kubernetes/database-crd.yaml, docs/cli.md, docs/http.md and docs/metrics.md, and compiles the one executable, dist/svc. `--schemas` only generates, `--executable FILE` only compiles, to that file. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cliReference } from '#cli';
import { vendoredSources } from '#codegen';
import { definitionText } from '#operator';
import { schemaFileJsonSchema } from '#schema';
import { metricsPage } from '#server';
import { generateSchemas, httpPage } from '#wire';

const { values } = parseArgs({
  options: { schemas: { type: 'boolean', default: false }, executable: { type: 'string' } },
});
if (values.executable === undefined) await generate();
if (!values.schemas) compile(values.executable ?? 'dist/svc');

async function generate(): Promise<void> {
  const schemas = { ...generateSchemas(), 'svc.schema.json': schemaFileJsonSchema() };
  for (const [name, text] of Object.entries(schemas)) {
    await Bun.write(`schemas/${name}`, text);
  }
  await Bun.write('deploy/kubernetes/database-crd.yaml', definitionText());
  await Bun.write('docs/cli.md', cliReference());
  await Bun.write('docs/http.md', httpPage());
  await Bun.write('docs/metrics.md', metricsPage());
  writeVendoredRuntime();
  // Another process: this one has loaded the texts of the runtime as they were.
  Bun.spawnSync(
    [
      process.execPath,
      'run',
      'src/main.ts',
      'generate',
      '--config',
      'examples/board/svc.config.yaml',
    ],
    {
      stdout: 'ignore',
      stderr: 'inherit',
    },
  );
}

function compile(outfile: string): void {
  const built = Bun.spawnSync(
    [
      process.execPath,
      'build',
      '--compile',
      '--production',
      '--bytecode',
      '--format=esm',
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      'src/main.launch.ts',
      'src/main.ts',
      'src/storage/merge/merge-worker.ts',
      '--outfile',
      outfile,
    ],
    { stdout: 'inherit', stderr: 'inherit' },
  );
  process.exitCode = built.exitCode;
}

/** The runtime of TypeScript clients, as TypeScript, as JavaScript and as declarations; the compiler makes the latter two. */
function writeVendoredRuntime(): void {
  const rooms = join(import.meta.dir, 'src/codegen/typescript');
  const sources = vendoredSources((path) => readFileSync(join(rooms, 'runtime', path), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'svc-vendored-'));
  try {
    for (const [path, text] of Object.entries(sources)) writeFileSync(join(folder, path), text);
    const compilerOptions = {
      declaration: true,
      target: 'es2022',
      lib: ['es2022', 'esnext.disposable', 'dom'],
      module: 'esnext',
      moduleResolution: 'bundler',
      strict: true,
      types: ['node'],
      typeRoots: [join(import.meta.dir, 'node_modules/@types')],
    };
    const config = { compilerOptions, files: Object.keys(sources) };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiled = Bun.spawnSync(['node_modules/.bin/tsc', '-p', folder], {
      stdout: 'inherit',
      stderr: 'inherit',
    });
    if (compiled.exitCode !== 0)
      throw new Error('the runtime of TypeScript clients does not compile');
    for (const name of ['svc-runtime', 'svc-testing']) {
      for (const ending of ['ts', 'js', 'd.ts']) {
        const text = readFileSync(join(folder, `${name}.gen.${ending}`), 'utf8');
        writeFileSync(join(rooms, 'vendored', `${name}.${ending}.txt`), text);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
