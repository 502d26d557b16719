/** What `.ci/run` takes for a failed file is what the runner says, whichever way a file fails. */

import { expect, test } from 'bun:test';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failuresIn } from './failures.ts';

const files = {
  'good.test.ts': `test('works', () => {});`,
  'bad.test.ts': `describe('it', () => {
    test('works', () => {});
    test('is "wrong" [1ms]', () => { expect(1).toBe(2); });
  });
  test('is wrong too', async () => { throw new Error('(fail) said in a message'); });`,
  'thrown.test.ts': `throw new Error('while it is loaded');`,
  'killed.test.ts': `test('ends the process', () => { process.kill(process.pid, 'SIGKILL'); });`,
};

const wrong = [
  { file: 'bad.test.ts', test: 'is wrong too' },
  { file: 'bad.test.ts', test: 'it > is "wrong" [1ms]' },
  { file: 'killed.test.ts', test: 'worker crashed: SIGKILL' },
  { file: 'thrown.test.ts', test: 'an error outside of its tests' },
];

test('every failure of a run has its file, and nothing else is one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-failures-'));
  try {
    const head = `import { describe, expect, test } from 'bun:test';\n`;
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, name), head + text);
    const run = Bun.spawn([process.execPath, 'test', '--parallel'], {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, log] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
    const found = failuresIn(out + log, realpathSync(folder)).toSorted((a, b) =>
      `${a.file} ${a.test}` < `${b.file} ${b.test}` ? -1 : 1,
    );
    expect(found).toEqual(wrong);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
