/** Which suites own a source file: the suites of its module first, nearest and fastest, then larger suites that exercise the module. */

import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Glob } from 'bun';
import { importsOf, scan } from '../architecture/source.ts';
import { isSlow, largerSuites } from './larger.ts';
import type { Mutation } from './mutation.ts';
import { type Reach, reaches, reachOf } from './reach.ts';

/** These look at other things than what the source does, or run for minutes. */
const others =
  /^tests\/(?:architecture|architecture\.test\.ts|mutate|mutants|models|s3\/(?:contract|doctor|server)\.test\.ts|simulator\/(?:plants|jobs|crashes))(?:\/|$)/;

export interface Suite {
  readonly path: string;
  /** Milliseconds that it usually takes. */
  readonly ms: number;
}

/** Suites that run in one process. */
export interface Batch {
  readonly suites: readonly Suite[];
  /** Whether they are suites of the module, not larger ones. */
  readonly isOfModule: boolean;
}

export class Suites {
  /** Suites that fail as they are, or take too long. */
  readonly leftOut = new Set<string>();
  private readonly tree: string;
  private readonly budgetMs: number;
  private readonly imported: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly reaches = new Map<string, Reach>();
  private readonly starters = new Map<string, boolean>();

  /** One mutation gets at most `budgetMs` milliseconds of larger suites. */
  constructor(tree: string, budgetMs: number) {
    this.tree = tree;
    this.budgetMs = budgetMs;
    const paths = [...new Glob('tests/**/*.test.ts').scanSync({ cwd: tree })].sort();
    const graph = new Map<string, readonly string[]>();
    this.imported = new Map(
      paths.filter((path) => !others.test(path)).map((path) => [path, closure(tree, path, graph)]),
    );
  }

  /** Batches in the order in which they shall run. */
  async *owning(mutation: Mutation): AsyncGenerator<Batch, undefined> {
    const near: (Suite & { readonly distance: number })[] = [];
    for (const path of this.imported.keys()) {
      const distance = distanceOf(path, mutation.file);
      if (distance === far || isSlow(path)) continue;
      const suite = await this.reaching(mutation, path, distance);
      if (suite !== undefined) near.push({ ...suite, distance });
    }
    for await (const suites of batches(
      near.sort((a, b) => a.distance - b.distance || a.ms - b.ms),
    )) {
      yield { suites, isOfModule: true };
    }
    for await (const suites of batches(this.largerReaching(mutation))) {
      yield { suites, isOfModule: false };
    }
  }

  /** The cheapest larger suites that run its lines, as many as the budget is enough for. A suite is measured when it is its turn. */
  private async *largerReaching(mutation: Mutation): AsyncGenerator<Suite, undefined> {
    let leftMs = this.budgetMs;
    if (leftMs === 0) return;
    for (const { path, ms } of largerSuites(mutation.file, [...this.imported.keys()])) {
      if (!isSlow(path) && distanceOf(path, mutation.file) !== far) continue;
      if (ms > leftMs || !this.mayReach(path, mutation.file)) continue;
      if (!(await this.mayRun(path, mutation))) continue;
      leftMs -= ms;
      yield { path, ms };
    }
  }

  /** Reports whether a suite imports the file, or starts processes. */
  private mayReach(path: string, file: string): boolean {
    return this.imported.get(path)?.has(file) === true || this.startsProcesses(path);
  }

  /** Reports whether a suite that imports the file may run a line of the mutation: coverage tells, except of other processes and of a suite that failed meanwhile. */
  private async mayRun(path: string, mutation: Mutation): Promise<boolean> {
    if (this.startsProcesses(path)) return true;
    const reach = await this.reachOf(path);
    return !reach.passes || reaches(reach, this.tree, mutation);
  }

  private async reaching(
    mutation: Mutation,
    path: string,
    distance: number,
  ): Promise<Suite | undefined> {
    const reach = await this.reachOf(path);
    if (!reach.passes) {
      this.leftOut.add(path);
      return undefined;
    }
    const isImported = this.imported.get(path)?.has(mutation.file) === true;
    const isAsked =
      (isImported && reaches(reach, this.tree, mutation)) || this.mayHide(path, distance);
    return isAsked ? { path, ms: reach.ms } : undefined;
  }

  private async reachOf(path: string): Promise<Reach> {
    const reach = this.reaches.get(path) ?? (await reachOf(this.tree, path));
    this.reaches.set(path, reach);
    return reach;
  }

  /** The suites beside a file always run; so do those of its module that start processes, which coverage does not look into. */
  private mayHide(path: string, distance: number): boolean {
    if (distance > 1) return distance === 2 && this.startsProcesses(path);
    return true;
  }

  private startsProcesses(path: string): boolean {
    const known = this.starters.get(path);
    if (known !== undefined) return known;
    const starts = [...(this.imported.get(path) ?? [])].some(
      (file) =>
        file.startsWith('tests/') &&
        /\bBun\.spawn/.test(readFileSync(join(this.tree, file), 'utf8')),
    );
    this.starters.set(path, starts);
    return starts;
  }
}

/** Suites of one process, which costs less than one each. */
const batchMs = 3000;

async function* batches(
  suites: Iterable<Suite> | AsyncIterable<Suite>,
): AsyncGenerator<readonly Suite[], undefined> {
  let batch: Suite[] = [];
  let ms = 0;
  for await (const suite of suites) {
    batch.push(suite);
    ms += suite.ms;
    if (ms < batchMs) continue;
    yield batch;
    batch = [];
    ms = 0;
  }
  if (batch.length > 0) yield batch;
}

/** At this distance a suite belongs to another module. */
const far = 3;

/** Modules of suites that prove a part of another module. */
const elsewhere: readonly (readonly [source: string, suites: string])[] = [
  ['src/storage/object/s3/', 'tests/s3/'],
  ['clients/typescript/', 'tests/codegen/'],
  ['src/wire/openapi/', 'tests/docs/http-page.test.ts'],
  ['src/engine/entity-tag.ts', 'tests/http/entity-tags'],
  ['src/engine/conditional.ts', 'tests/http/entity-tags'],
];

/** 0: of the same name; 1: of the same folder; 2: of the same module; 3: of others. */
function distanceOf(suite: string, file: string): number {
  if (suite === file.replace(/^src/, 'tests').replace(/\.ts$/, '.test.ts')) return 0;
  const folder = dirname(file).replace(/^src/, 'tests');
  if (folder.split('/').length > 2 && dirname(suite) === folder) return 1;
  if (suite.startsWith(`${folder.split('/').slice(0, 2).join('/')}/`)) return 2;
  if (elsewhere.some(([part, module]) => file.startsWith(part) && suite.startsWith(module)))
    return 2;
  return far;
}

/** All files of the repository that a file imports, by others too, and the file itself. */
function closure(
  tree: string,
  from: string,
  graph: Map<string, readonly string[]>,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [from];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const known = graph.get(file) ?? importedBy(tree, file);
    graph.set(file, known);
    waiting.push(...known);
  }
  return seen;
}

/** Types are not there when it runs. */
const typesOnly = /^(?:import|export) type [^;]*;/gm;

function importedBy(tree: string, file: string): string[] {
  const text = readFileSync(join(tree, file), 'utf8').replace(typesOnly, '');
  return importsOf(scan(text)).flatMap(({ specifier }) => {
    if (specifier.startsWith('#')) return [`src/${specifier.slice(1)}/index.ts`];
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return [];
    return [normalize(join(dirname(file), specifier))];
  });
}
