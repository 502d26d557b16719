/** What a suite reaches: the lines of the source that run in its process, and how long it takes. Measured once, then kept. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linesOf } from './lcov.ts';
import type { Mutation } from './mutation.ts';
import { runSuites } from './run-suite.ts';

export interface Reach {
  /** Of the suite when it was measured. */
  readonly hash: string;
  readonly ms: number;
  readonly passes: boolean;
  readonly files: Readonly<Record<string, Covered>>;
}

interface Covered {
  /** Of the file when it was measured. */
  readonly hash: string;
  readonly lines: string;
}

/** A suite that takes longer is not run for every mutation. */
const timeoutMs = 240_000;

/** Measured in the tree at `tree`, unless that has been done before with the same suite: then it is read from the cache of packages. */
export async function reachOf(tree: string, suite: string): Promise<Reach> {
  const folder = join(tree, 'node_modules', '.cache', 'svc-mutate');
  const path = join(folder, `${suite.replaceAll('/', '+')}.json`);
  const hash = hashOf(join(tree, suite));
  if (existsSync(path)) {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Reach;
    if (kept.hash === hash) return kept;
  }
  const measured = await measure(tree, suite, hash);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, JSON.stringify(measured));
  return measured;
}

async function measure(tree: string, suite: string, hash: string): Promise<Reach> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-reach-'));
  try {
    const flags = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder}`];
    const { outcome, ms } = await runSuites(tree, [suite], timeoutMs, flags);
    const files: Record<string, Covered> = {};
    for (const name of readdirSync(folder)) {
      for (const [file, lines] of linesOf(readFileSync(join(folder, name), 'utf8'))) {
        if (!/^(?:src|clients)\//.test(file) || !lines.includes('1')) continue;
        files[file] = { hash: hashOf(join(tree, file)), lines };
      }
    }
    return { hash, ms, passes: outcome === 'passed', files };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether the suite runs a line of the mutation; yes when the file is newer than what was measured, or nothing is known of the line. */
export function reaches(reach: Reach, tree: string, mutation: Mutation): boolean {
  const covered = reach.files[mutation.file];
  if (covered === undefined || covered.hash !== hashOf(join(tree, mutation.file))) {
    return true;
  }
  const lines = covered.lines.slice(mutation.line - 1, mutation.lastLine);
  return lines.includes('1') || !lines.includes('0');
}

function hashOf(path: string): string {
  return Bun.hash(readFileSync(path)).toString(36);
}
