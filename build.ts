/** `npm run build`: generates schemas/, deploy/kubernetes/database-crd.yaml, docs/cli.md, docs/http.md and docs/metrics.md, and compiles the one executable, dist/svc. `--schemas` only generates. */

import { cliReference } from '#cli';
import { definitionText } from '#operator';
import { schemaFileJsonSchema } from '#schema';
import { metricsPage } from '#server';
import { generateSchemas, httpPage } from '#wire';

const schemas = { ...generateSchemas(), 'svc.schema.json': schemaFileJsonSchema() };
for (const [name, text] of Object.entries(schemas)) {
  await Bun.write(`schemas/${name}`, text);
}
await Bun.write('deploy/kubernetes/database-crd.yaml', definitionText());
await Bun.write('docs/cli.md', cliReference());
await Bun.write('docs/http.md', httpPage());
await Bun.write('docs/metrics.md', metricsPage());

if (!process.argv.includes('--schemas')) {
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
      'src/main.ts',
      'src/storage/merge/merge-worker.ts',
      '--outfile',
      'dist/svc',
    ],
    { stdout: 'inherit', stderr: 'inherit' },
  );
  process.exit(built.exitCode);
}
