/** `npm run build`: generates schemas/, deploy/kubernetes/database-crd.yaml, docs/cli.md, docs/http.md and docs/metrics.md, and compiles the one executable, dist/svc. `--schemas` only generates, `--executable FILE` only compiles, to that file. */

import { parseArgs } from 'node:util';
import { cliReference } from '#cli';
import { definitionText } from '#operator';
import { schemaFileJsonSchema } from '#schema';
import { metricsPage } from '#server';
import { generateSchemas, httpPage } from '#wire';
import { writeVendored } from './clients/typescript/build/write-vendored.ts';
import { compileExecutable } from './deploy/release/compile.ts';

const { values } = parseArgs({
  options: { schemas: { type: 'boolean', default: false }, executable: { type: 'string' } },
});
if (values.executable === undefined) await generate();
const executable = values.executable ?? 'dist/svc';
if (!values.schemas && !compileExecutable({ executable })) process.exitCode = 1;

async function generate(): Promise<void> {
  const schemas = { ...generateSchemas(), 'svc.schema.json': schemaFileJsonSchema() };
  for (const [name, text] of Object.entries(schemas)) {
    await Bun.write(`schemas/${name}`, text);
  }
  await Bun.write('deploy/kubernetes/database-crd.yaml', definitionText());
  await Bun.write('docs/cli.md', cliReference());
  await Bun.write('docs/http.md', httpPage());
  await Bun.write('docs/metrics.md', metricsPage());
  writeVendored();
  // Another process: this one has loaded the texts of the runtime as they were.
  for (const example of ['board', 'notes']) {
    const config = `examples/${example}/svc.config.yaml`;
    const argv = [process.execPath, 'run', 'src/main.ts', 'generate', '--config', config];
    Bun.spawnSync(argv, { stdout: 'ignore', stderr: 'inherit' });
  }
}
