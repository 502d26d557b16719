/** A share of the simulator, in processes of its own: what `npm run simulate` does with more seeds. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { parseArguments } from './usage.ts';

const main = join(import.meta.dir, 'main.ts');

function simulate(...given: readonly string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, 'run', main, ...given]);
  return { exitCode, output: stdout.toString(), errors: stderr.toString() };
}

test('no oracle fails', () => {
  const { exitCode, output, errors } = simulate('--seeds', '60');
  expect({ exitCode, failure: exitCode === 0 ? '' : output + errors }).toEqual({
    exitCode: 0,
    failure: '',
  });
  expect(output).toMatch(/^seeds +60$/m);
  expect(output).toMatch(/^acknowledged commits lost +0$/m);
}, 180_000);

test('the same seed twice leaves the same trace, another one another', () => {
  const traces = (from: string): string[] =>
    simulate('--trace', '--from', from, '--seeds', '3').output.match(/^\d+ [0-9a-f]{8}$/gm) ?? [];
  const once = traces('7');
  expect(once).toHaveLength(3);
  expect(traces('7')).toEqual(once);
  expect(new Set(once.map((line) => line.split(' ')[1])).size).toBe(3);
}, 60_000);

test('a failure tells its seed and how to see it again', () => {
  const { exitCode, output } = simulate('--plant', 'deletions-lost-above-the-bottom');
  expect(exitCode).toBe(1);
  const again = /^again: npm run simulate -- --seeds 1 --from (\d+) --plant (\S+)$/m.exec(output);
  expect(again).not.toBeNull();
  const [, from, plant] = again as unknown as [string, string, string];
  expect(simulate('--seeds', '1', '--from', from, '--plant', plant).exitCode).toBe(1);
}, 60_000);

test('what makes no sense is refused', () => {
  expect(simulate('--unheard-of', '1').exitCode).toBe(2);
  expect(simulate('--plant', 'unheard-of').exitCode).toBe(2);
  expect(parseArguments(['--seeds', '20', '--from=7'])).toMatchObject({ seeds: 20, from: 7 });
  expect(parseArguments(['--seeds'])).toBeUndefined();
  expect(parseArguments(['--seeds', 'many'])).toBeUndefined();
});

test('known bugs are listed by name', () => {
  const { exitCode, output } = simulate('--list-plants');
  expect(exitCode).toBe(0);
  expect(output.split('\n')).toContain('skip-fsync');
});
