/** Finds names that a file of the product exports although no other file imports them. */

import { type ImportLine, lineAt, type SourceFile, scan } from './source.ts';
import { targetOf } from './tree.ts';

/** What one file takes from others: names by path, `*` for all of them. */
type Taken = Map<string, Set<string>>;

const lists = /\b(import|export)(?:\s+type)?\s*\{([^}]*)\}\s*from\s*['"]([^'"\n]+)['"]/g;
const wholes =
  /\b(?:import|export)\s*(?:type\s*)?\*(?:\s*as\s+([\w$]+))?\s*from\s*['"]([^'"\n]+)['"]/g;
const calls = /\bimport\(\s*['"]([^'"\n]+)['"]\s*\)(?:\.([\w$]+))?/g;
const declarations =
  /^export\s+(?:abstract\s+|async\s+|declare\s+)*(?:const|let|function\*?|class|interface|type|enum)\s+([\w$]+)/gm;

/** `users` are files outside the product that may import names from it: tests, benchmarks and the build. */
export function unusedExports(
  product: readonly SourceFile[],
  users: readonly SourceFile[],
): (ImportLine & { readonly path: string })[] {
  const taken: Taken = new Map();
  for (const file of [...product, ...users]) take(file, taken);
  return product.flatMap((file) => {
    const names = taken.get(file.path);
    if (names?.has('*')) return [];
    return exportsOf(file)
      .filter(({ specifier }) => !names?.has(specifier))
      .map((found) => ({ ...found, path: file.path }));
  });
}

function take({ path, text }: SourceFile, taken: Taken): void {
  const { code } = scan(text);
  const add = (specifier: string, name: string) => {
    const target = targetOf(path, specifier);
    if (target === undefined) return;
    const names = taken.get(target) ?? new Set();
    taken.set(target, names.add(name));
  };
  for (const [, , list = '', specifier = ''] of code.matchAll(lists)) {
    for (const { name } of namesIn(list)) add(specifier, name);
  }
  for (const [, alias, specifier = ''] of code.matchAll(wholes)) {
    const members = alias && code.matchAll(new RegExp(`(?<![.\\w$])${alias}\\.([\\w$]+)`, 'g'));
    if (!members) add(specifier, '*');
    else for (const [, name = ''] of members) add(specifier, name);
  }
  for (const [, specifier = '', name = '*'] of code.matchAll(calls)) add(specifier, name);
}

/** Every exported name with its line. */
function exportsOf({ text }: SourceFile): ImportLine[] {
  const { code, bare } = scan(text);
  const found: ImportLine[] = [];
  for (const { index, 1: name = '' } of bare.matchAll(declarations)) {
    found.push({ specifier: name, line: lineAt(bare, index) });
  }
  for (const { index, 1: keyword, 2: list = '' } of code.matchAll(lists)) {
    if (keyword !== 'export') continue;
    for (const { alias } of namesIn(list)) {
      found.push({ specifier: alias, line: lineAt(code, index) });
    }
  }
  return found;
}

function namesIn(list: string): { readonly name: string; readonly alias: string }[] {
  return list.split(',').flatMap((item) => {
    const match = /^\s*(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(item);
    const name = match?.[1];
    return name === undefined ? [] : [{ name, alias: match?.[2] ?? name }];
  });
}
