/** The runtime as it lies in an application: without the types of a runtime, and within its budgets. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'bun';

const root = join(import.meta.dir, '..', '..', '..');
const project = join(root, 'clients/typescript');
const runtime = join(project, 'runtime');
const folder = mkdtempSync(join(tmpdir(), 'svc-vendored-'));

afterAll(() => rmSync(folder, { recursive: true }));

test('the client needs ES2022 and the types of the web alone, and costs the compiler little', async () => {
  const files = [join(runtime, 'client/client.ts')];
  const config = { extends: join(project, 'tsconfig.json'), include: [], files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/.bin/tsc');
  const child = Bun.spawn([compiler, '-p', folder, '--extendedDiagnostics'], { stdout: 'pipe' });
  const text = await new Response(child.stdout).text();
  expect(text.match(/error TS.*/g)).toBeNull();
  expect(await child.exited).toBe(0);
  expect(Number(/Instantiations:\s+(\d+)/.exec(text)?.[1])).toBeLessThan(4_000);
});

test('the client is small when it is minified and compressed', async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(runtime, 'client/client.ts')],
    target: 'browser',
    minify: true,
  });
  const [output] = outputs;
  if (output === undefined) throw new Error('nothing was built');
  const bytes = gzipSync(new Uint8Array(await output.arrayBuffer()), { level: 9 }).length;
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThan(7_400);
});

/** Bytes of what an application of these lines has in its bundle, minified and compressed. */
async function bundled(name: string, text: string): Promise<number> {
  const entry = join(folder, `${name}.ts`);
  writeFileSync(entry, text);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', minify: true });
  const [output] = outputs;
  if (output === undefined) throw new Error('nothing was built');
  return gzipSync(new Uint8Array(await output.arrayBuffer()), { level: 9 }).length;
}

test('an application that uses all of the client and of the builder is bounded', async () => {
  const index = JSON.stringify(join(runtime, 'index.ts'));
  const whole = await bundled('whole', `export * from ${index};\n`);
  expect(whole).toBeGreaterThan(12_000);
  expect(whole).toBeLessThan(21_700);
  // What an application does not name is left out: functions beside the methods, pages, prepared queries.
  const less = await bundled(
    'less',
    `import { compile, tablesOf } from ${index};\nconst t = tablesOf([]);\nconsole.log(compile(t['a']).body);\n`,
  );
  expect(less).toBeLessThan(0.57 * whole);
});

test('a table costs few bytes at run time', async () => {
  const kinds = ['t', 'i', 'f', 'b', 'u'];
  const names = [
    'title',
    'score',
    'rating',
    'live',
    'token',
    'name',
    'created_at',
    'status',
    'body',
  ];
  const table = (i: number) => [
    `table_${i}`,
    Array.from({ length: 15 }, (_, c) => [
      `${names[(c * 7 + i) % 9]}_${c}`,
      kinds[(c + i) % 5],
      c % 3,
    ]),
    [[0]],
    [
      ['author', (i * 7) % 100, [1], [0], 'one'],
      ['comments', (i * 3) % 100, [0], [2], 'many'],
    ],
  ];
  const text = JSON.stringify(Array.from({ length: 100 }, (_, i) => table(i)));
  expect(gzipSync(new TextEncoder().encode(text), { level: 9 }).length / 100).toBeLessThan(100);
});
