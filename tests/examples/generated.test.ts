/** The clients that lie in the examples are those that `svc generate` makes. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { runWithin, shellFor } from '../cli/within.ts';

const root = join(import.meta.dir, '../../examples');

for (const config of new Glob('*/svc.config.yaml').scanSync(root)) {
  test(`of ${config} (\`bun run build.ts --schemas\` writes them)`, async () => {
    const { shell } = shellFor({ mode: 'json' });
    const argv = ['generate', '--check', '--config', join(root, config)];
    expect(await runWithin(shell, argv)).toMatchObject({ exitCode: 0, trouble: undefined });
  });
}
