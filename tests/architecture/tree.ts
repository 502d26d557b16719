/** Resolves imports to files and finds import cycles. */

import { dirname, join, normalize } from 'node:path';
import { importsOf, type SourceFile, scan } from './source.ts';

/** The path, from the root of the repository, of what `specifier` names in the file at `path`; undefined for packages. */
export function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}/index.ts`;
  return specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : undefined;
}

/** Returns the groups of files that import each other in a cycle, type imports included, with sorted paths. */
export function cyclesOfFiles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const graph = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(scan(text)).flatMap(({ specifier }) => targetOf(path, specifier) ?? []),
    ]),
  );
  return new Cycles(graph).found;
}

/** Strongly connected components of more than one file (Tarjan 1972). */
class Cycles {
  readonly found: string[][] = [];
  private readonly graph: ReadonlyMap<string, readonly string[]>;
  private readonly order = new Map<string, number>();
  /** The earliest file that is reached from a file, among those on the stack. */
  private readonly lowest = new Map<string, number>();
  private readonly stack: string[] = [];

  constructor(graph: ReadonlyMap<string, readonly string[]>) {
    this.graph = graph;
    for (const path of graph.keys()) if (!this.order.has(path)) this.visit(path);
  }

  private visit(path: string): void {
    const own = this.order.size;
    this.order.set(path, own);
    this.lowest.set(path, own);
    this.stack.push(path);
    for (const target of this.graph.get(path) ?? []) {
      if (!this.graph.has(target)) continue;
      if (!this.order.has(target)) {
        this.visit(target);
        this.lower(path, this.lowest.get(target));
      } else if (this.stack.includes(target)) {
        this.lower(path, this.order.get(target));
      }
    }
    if (this.lowest.get(path) !== own) return;
    const group = this.stack.splice(this.stack.indexOf(path));
    if (group.length > 1) this.found.push(group.sort());
  }

  private lower(path: string, to: number | undefined): void {
    this.lowest.set(path, Math.min(this.lowest.get(path) ?? Infinity, to ?? Infinity));
  }
}
