/** Processes and directories of this run go with it, however it ends. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pids = new Set<number>();
const directories = new Set<string>();
const mounts = new Set<string>();

/** The returned function takes the process off the list, once it has ended. */
export function endAtExit(pid: number): () => void {
  pids.add(pid);
  return () => void pids.delete(pid);
}

export function scratchDirectory(prefix = join(tmpdir(), 'svc-hostile-')): string {
  const directory = mkdtempSync(prefix);
  directories.add(directory);
  return directory;
}

export function removeScratch(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  directories.delete(directory);
}

/** A small file system in memory. False: no right to mount. */
export function mountMemory(at: string, mib: number): boolean {
  const { exitCode } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', at]);
  if (exitCode === 0) mounts.add(at);
  return exitCode === 0;
}

/** At once, even while a process that is ending has files of it open. */
export function unmount(at: string): void {
  Bun.spawnSync(['umount', '-l', at]);
  mounts.delete(at);
}

function cleanUp(): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended by itself.
    }
  }
  for (const at of mounts) unmount(at);
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}

process.on('exit', cleanUp);
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.on(signal, () => process.exit(code));
}
