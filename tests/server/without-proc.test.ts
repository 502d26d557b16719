/** Where there is no `/proc`, or only its part about processes (docs/deploy.md, "Mount /proc"). Needs root, for a mount namespace. */

import { expect, test } from 'bun:test';
import { program } from '../support/program.ts';

/** Runs `svc version` in a mount namespace of its own, after these commands. */
async function version(...before: readonly string[]) {
  const script = [...before, 'exec "$@"'].join(' && ');
  const child = Bun.spawn(['unshare', '--mount', 'sh', '-c', script, 'sh', ...program, 'version'], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { stdout, stderr, exitCode, signal: child.signalCode };
}

const isPossible =
  process.getuid?.() === 0 &&
  Bun.which('unshare') !== null &&
  Bun.spawnSync(['unshare', '--mount', 'true']).exitCode === 0;

if (!isPossible) console.warn('SKIPPED: mount namespaces take root and unshare(1)');

test.skipIf(!isPossible)('the part of /proc about processes is enough', async () => {
  const part = await version('umount -l /proc', 'mount -t proc -o subset=pid proc /proc');
  expect(part).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(/^\d/) });
});

test.skipIf(!isPossible)(
  'without it the runtime ends before svc begins, as the page says',
  async () => {
    const { stderr, signal } = await version('umount -l /proc');
    expect([signal, stderr]).toEqual([
      'SIGABRT',
      expect.stringContaining('panic(main thread): abort() called'),
    ]);
  },
);
