/** The account of memory against what a process really takes: each shape is made in a process of its own, whose memory nothing else fills. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';

const script = join(import.meta.dir, '..', '..', 'bench', 'memory-account.ts');

/** Resident over account, of a shape that the account says is 32 MiB. */
async function heldRatio(shape: string): Promise<number> {
  const command = [process.execPath, 'run', script, '--shape', shape, '--mib', '32'];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return (JSON.parse(text) as { readonly held: number }).held;
}

test.each([
  'column text 20',
  'column utf16 200',
  'column bigint',
  'column bytes 16',
  'row item',
  'array item',
  'keys text 200',
  'writes without value',
  'points read',
])(
  '%s: the account says what is held',
  async (shape) => {
    const held = await heldRatio(shape);
    expect(held).toBeGreaterThan(0.6);
    expect(held).toBeLessThan(1.35);
  },
  60_000,
);

test('columns of numbers are dearer than they are: an array that grows is copied', async () => {
  const held = await heldRatio('column int');
  expect(held).toBeGreaterThan(0.4);
  expect(held).toBeLessThan(1);
}, 60_000);
