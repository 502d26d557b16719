/** `docs/cli.md` is what the commands say. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { cliReference } from '#cli';

test('docs/cli.md is generated: npx bun run build.ts --schemas', async () => {
  const path = join(import.meta.dir, '..', '..', 'docs/cli.md');
  expect(await Bun.file(path).text()).toBe(cliReference());
});
