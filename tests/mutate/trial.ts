/** Tries whether tests notice a mutation. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from './equivalent.ts';
import type { Mutation } from './mutation.ts';
import { runSuites, type SuiteRun } from './run-suite.ts';
import type { Batch, Suite } from './suites.ts';

export type Verdict =
  | {
      readonly kind: 'noticed';
      readonly by: string;
      /** By a suite of the module, not by a larger one. */
      readonly isByModule: boolean;
    }
  | { readonly kind: 'equivalent'; readonly reason: string }
  /** By the type checker, in another file: it would never be committed, and does not count. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'survived'; readonly suites: number };

/** Tries mutations in the tree at `path`, which holds the unchanged source before and after each. */
export class Trials {
  private readonly path: string;
  /** Batches, and whether their suites pass in one process without a mutation. */
  private readonly passing = new Map<string, boolean>();

  constructor(path: string) {
    this.path = path;
  }

  /** Runs the batches in turn until something fails. */
  async tryOut(mutation: Mutation, batches: AsyncIterable<Batch>): Promise<Verdict> {
    const reason = reasonOf(mutation);
    if (reason !== undefined) return { kind: 'equivalent', reason };
    const target = join(this.path, mutation.file);
    const original = readFileSync(target, 'utf8');
    const runMutated = async (names: readonly string[], timeoutMs: number): Promise<SuiteRun> => {
      writeFileSync(target, mutation.changed);
      try {
        return await runSuites(this.path, names, timeoutMs);
      } finally {
        writeFileSync(target, original);
      }
    };
    let suites = 0;
    for await (const batch of batches) {
      const by = await this.failureOf(batch.suites, runMutated);
      if (by !== undefined) return { kind: 'noticed', by, isByModule: batch.isOfModule };
      suites += batch.suites.length;
    }
    return { kind: 'survived', suites };
  }

  /** Suites that disturb each other in one process are asked one by one; one that fails without a mutation says nothing. */
  private async failureOf(
    batch: readonly Suite[],
    runMutated: MutatedRun,
  ): Promise<string | undefined> {
    const failure = await this.failureTogether(batch, runMutated);
    if (failure === undefined) return undefined;
    if (await this.passes(batch.map(({ path }) => path))) return failure;
    if (batch.length === 1) return undefined;
    for (const suite of batch) {
      const alone = await this.failureOf([suite], runMutated);
      if (alone !== undefined) return alone;
    }
    return undefined;
  }

  private async passes(names: readonly string[]): Promise<boolean> {
    const key = names.join(' ');
    const known = this.passing.get(key);
    if (known !== undefined) return known;
    const { outcome } = await runSuites(this.path, names, longestMs);
    this.passing.set(key, outcome === 'passed');
    return outcome === 'passed';
  }

  /** A busy machine is slow without a mutation, too. A run that exceeds its time therefore counts as failed only if an immediate run without the mutation takes far less. */
  private async failureTogether(
    batch: readonly Suite[],
    runMutated: MutatedRun,
  ): Promise<string | undefined> {
    const names = batch.map(({ path }) => path);
    const usualMs = batch.reduce((sum, { ms }) => sum + ms, 0);
    for (let timeoutMs = 15_000 + 5 * usualMs; ; timeoutMs *= 3) {
      const { outcome, failed, ms } = await runMutated(names, timeoutMs);
      if (outcome === 'passed') return undefined;
      const isLate = outcome === 'timed out' || /timed out/.test(failed ?? '');
      const isSure =
        !isLate ||
        timeoutMs > longestMs ||
        (await runSuites(this.path, names, longestMs)).ms * 4 < ms;
      if (isSure) return failed ?? `${names[0]}: it never ends`;
    }
  }
}

type MutatedRun = (names: readonly string[], timeoutMs: number) => Promise<SuiteRun>;

const longestMs = 600_000;
