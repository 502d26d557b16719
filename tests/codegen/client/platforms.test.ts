/** The client on the runtimes that are here: `npm run clients-platforms` has more. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';

test('Bun, and Node where there is one', async () => {
  const only = ['bun', ...(Bun.which('node') === null ? [] : ['node'])];
  const parts = only.flatMap((name) => ['--only', name]);
  const main = join(import.meta.dir, 'platforms', 'main.ts');
  const child = Bun.spawn([process.execPath, 'run', main, ...parts], { stdout: 'pipe' });
  const lines = (await new Response(child.stdout).text()).trim().split('\n');
  expect(lines.map((line) => line.replace(/ +/g, ' '))).toEqual(
    only.map((name) => `${name} passed 29 checks`),
  );
  expect(await child.exited).toBe(0);
});
