/** The check of a release: a second build of the commit in another folder has the same bytes, and the executable of this platform starts. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differingNames } from './checksums.ts';
import { runTool } from './run-tool.ts';
import type { Target } from './targets.ts';

interface CheckOptions {
  readonly root: string;
  readonly chosen: readonly Target[];
  readonly out: string;
  readonly epoch: number;
  readonly level: number;
}

/** Prints its findings and returns whether there are none. */
export async function checkRelease(options: CheckOptions): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-release-again-'));
  try {
    const different = await differences(options, join(folder, 'a folder with another name'));
    for (const name of different) console.log(`${name}: the second build has other bytes`);
    if (different.length === 0) console.log('the second build has the same bytes');
    return startsHere(options, folder) && different.length === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function differences(options: CheckOptions, copy: string): Promise<readonly string[]> {
  const { root, chosen, out, epoch, level } = options;
  copyTree(root, copy);
  const args = ['--out', join(copy, 'out'), '--level', String(level)];
  const target = chosen.flatMap(({ name }) => ['--target', name]);
  const script = [process.execPath, 'run', 'deploy/release/main.ts', ...args, ...target];
  const again = Bun.spawn(script, {
    cwd: copy,
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if ((await again.exited) !== 0) throw new Error('the second build failed');
  const sums = (path: string) => readFileSync(join(path, 'SHA256SUMS'), 'utf8');
  return differingNames(sums(out), sums(join(copy, 'out')));
}

/** The files of the work tree that git knows, and the installed packages. */
function copyTree(root: string, copy: string): void {
  mkdirSync(copy, { recursive: true });
  for (const path of runTool(['git', 'ls-files', '-z'], { cwd: root }).split('\0')) {
    if (path !== '') cpSync(join(root, path), join(copy, path));
  }
  // Not as a link: the compiler would see paths outside of the copy.
  runTool(['cp', '-R', join(root, 'node_modules'), join(copy, 'node_modules')]);
}

/** Unpacks the archive of this platform and runs `svc version`. */
function startsHere({ chosen, out }: CheckOptions, folder: string): boolean {
  const here = `${process.platform}-${process.arch}`;
  if (!chosen.some(({ name }) => name === here)) {
    console.log(`${here}: not built, so nothing was started`);
    return true;
  }
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
  const archive = new RegExp(`svc-\\S+-${here}\\.tar\\.gz$`, 'm').exec(sums)?.[0] ?? '';
  runTool(['tar', '-xzf', join(out, archive), '-C', folder]);
  const executable = join(folder, archive.replace(/\.tar\.gz$/, ''), 'svc');
  console.log(`${here}: svc version prints ${runTool([executable, 'version']).trim()}`);
  return true;
}
