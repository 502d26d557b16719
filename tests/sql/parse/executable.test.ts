/** The parser within a compiled executable. */

import { expect, test } from 'bun:test';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

test('an executable that was moved away from its packages contains the parser', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-parser-'));
  try {
    const entry = join(import.meta.dir, 'executable-entry.ts');
    const built = join(folder, 'built');
    const flags = ['--compile', '--production', '--splitting', '--bytecode', '--format=esm'];
    const root = join(import.meta.dir, '../../..');
    const build = Bun.spawnSync([process.execPath, 'build', ...flags, entry, '--outfile', built], {
      cwd: root,
      stderr: 'inherit',
    });
    expect(build.exitCode).toBe(0);
    const moved = join(folder, 'moved');
    renameSync(built, moved);
    const run = Bun.spawnSync([moved, 'select 1; begin'], { cwd: folder, stderr: 'inherit' });
    expect(run.stdout.toString()).toBe('program begin\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
