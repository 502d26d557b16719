/** Modules that import each other only, joined to one. Their names at the top are unique, and none is renamed by an import: each text stands as it is. */

const importPattern = /^import (?:type )?(?:\{[^}]*\} from )?'([^']+)';\n/gm;
const reexportPattern = /^export (?:type )?(?:\*|\{([^}]*)\}) from '([^']+)';\n/gm;
const declarationPattern =
  /^export (?=(?:declare |abstract |async )*(?:class|function|const|let|interface|type) ([A-Za-z_$][\w$]*))/gm;

const topPattern =
  /^(?:export )?(?:declare |abstract |async )*(?:class|function\*?|const|let|var|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;

/** `read` gives the text of a path. The result exports what `entry` does. Throws for a name that two modules declare, and for an import that leads elsewhere than to a file beside or below. */
export function joinModules(entry: string, read: (path: string) => string): string {
  const isPublic = publicNames(entry, read);
  const paths = inOrder(entry, read);
  refuseSharedNames(paths, read);
  return paths
    .map((path) => bodyOf(read(path), isPublic))
    .filter((body) => body !== '')
    .join('\n');
}

/** Two modules may each have a private name of their own; one module may not. */
function refuseSharedNames(paths: readonly string[], read: (path: string) => string): void {
  const homes = new Map<string, string>();
  for (const path of paths) {
    for (const [, name = ''] of read(path).matchAll(topPattern)) {
      const home = homes.get(name) ?? path;
      if (home !== path) throw new Error(`${home} and ${path} both declare ${name}: rename one`);
      homes.set(name, path);
    }
  }
}

function bodyOf(text: string, isPublic: (name: string) => boolean): string {
  return text
    .replaceAll(importPattern, '')
    .replaceAll(reexportPattern, '')
    .replaceAll(declarationPattern, (whole, name: string) => (isPublic(name) ? whole : ''))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .concat('\n');
}

/** What `entry` exports: by name, or all of a file. */
function publicNames(entry: string, read: (path: string) => string): (name: string) => boolean {
  const names = new Set<string>();
  for (const [, listed, from = ''] of read(entry).matchAll(reexportPattern)) {
    const given = listed ?? declaredIn(read(resolved(entry, from))).join();
    for (const name of given.split(',')) names.add(name.replace('type ', '').trim());
  }
  return (name) => names.has(name);
}

function declaredIn(text: string): readonly string[] {
  return [...text.matchAll(declarationPattern)].map(([, name]) => name as string);
}

/** Paths so that what a file imports stands in front of it. */
function inOrder(entry: string, read: (path: string) => string): readonly string[] {
  const ordered = new Set<string>();
  const visited = new Set<string>();
  const visit = (path: string) => {
    if (visited.has(path)) return;
    visited.add(path);
    const text = read(path);
    for (const [, from = ''] of text.matchAll(importPattern)) visit(resolved(path, from));
    for (const [, , from = ''] of text.matchAll(reexportPattern)) visit(resolved(path, from));
    ordered.add(path);
  };
  visit(entry);
  return [...ordered];
}

function resolved(path: string, from: string): string {
  if (!from.startsWith('.')) throw new Error(`${path} imports ${from}: no file of the runtime`);
  return new URL(from, `file:///${path}`).pathname.slice(1);
}
