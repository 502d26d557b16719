/** The client on the runtimes that are here: `npm run clients-platforms` has more. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';

const hasChromium = Bun.which('chromium') !== null;
if (!hasChromium) console.warn('NOT TESTED: the client in browsers; there is no chromium');

test('Bun, Node, and a page and a worker of Chromium, where they are', async () => {
  const only = [
    'bun',
    ...(Bun.which('node') === null ? [] : ['node']),
    ...(hasChromium ? ['chromium', 'worker'] : []),
  ];
  const parts = only.flatMap((name) => ['--only', name]);
  const main = join(import.meta.dir, 'platforms', 'main.ts');
  const child = Bun.spawn([process.execPath, 'run', main, ...parts], { stdout: 'pipe' });
  const lines = (await new Response(child.stdout).text()).trim().split('\n');
  expect(lines.map((line) => line.replace(/ +/g, ' '))).toEqual(
    only.map((name) => `${name} passed 29 checks`),
  );
  expect(await child.exited).toBe(0);
}, 60_000);
