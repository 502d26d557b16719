/** The licence notices of the packages whose code is part of the executable. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../..');

interface ModuleGraph {
  /** By path from the root of the repository. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

interface Manifest {
  readonly version: string;
  readonly license?: string;
}

/** Returns the names of the bundled packages, sorted. `graph` is the metafile of the compiler. */
export function bundledPackages(graph: ModuleGraph): readonly string[] {
  const names = Object.keys(graph.inputs).flatMap((path) => {
    const found = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
    return found === undefined ? [] : [found];
  });
  return [...new Set(names)].sort();
}

/** Returns the text of `NOTICES`. Throws if a package has no licence file. */
export function noticesOf(packages: readonly string[]): string {
  const parts = packages.map((name) =>
    part(`${name} ${manifestOf(name).version}`, licenceOf(name)),
  );
  return [introduction, ...parts, runtimePart()].join('\n');
}

const introduction = `NOTICES

The executable svc contains the software below, under the licences below.
The licence of svc itself has not been chosen yet.
`;

function part(title: string, text: string): string {
  return `${'='.repeat(78)}\n${title}\n${'='.repeat(78)}\n\n${text.trim()}\n`;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
}

function licenceOf(name: string): string {
  const folder = join(root, 'node_modules', name);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  if (files.length === 0) throw new Error(`${name}: no licence file; its notice is missing`);
  return files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    .join('\n\n');
}

/** The page of Bun about its licence and those of the libraries that it links. */
function runtimePart(): string {
  const page = join(root, 'node_modules/bun-types/docs/project/license.mdx');
  const text = readFileSync(page, 'utf8').replace(/^---\n.*?\n---\n/s, '');
  return part(`Bun ${manifestOf('bun').version} (the runtime)`, text);
}
