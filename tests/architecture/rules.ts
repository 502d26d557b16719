/** The rules of the architecture. Each rule checks the whole source tree and returns its violations. */

import { dirname, join, normalize } from 'node:path';
import { type ImportLine, importsOf, lineAt, type SourceFile, scan } from './source.ts';
import { cyclesOfFiles } from './tree.ts';

export interface Architecture {
  /** Layers of modules, lowest first. A module may import only from lower layers. */
  readonly layerOrder: readonly (readonly string[])[];
  /** Layers of folders within large modules, lowest first. The only file outside these folders is the entry point, which may import all of them. */
  readonly innerLayers: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Lower modules that a module must not import. */
  readonly forbidden: Readonly<Record<string, readonly string[]>>;
  /** For some modules: the only modules that they may import. */
  readonly confined: Readonly<Record<string, readonly string[]>>;
  /** Folders whose files may import each other in a cycle, with the reason. */
  readonly recursive: Readonly<Record<string, string>>;
  /** Modules and files that may use the clock, random numbers, timers and the environment of the process. */
  readonly ambient: readonly string[];
  /** Modules that may write to the console. */
  readonly printing: readonly string[];
  /** Modules and files that may call the global `fetch`, which sends even requests to this machine through a proxy of the environment. */
  readonly fetching: readonly string[];
  /** Separate projects next to `src`, each with the modules that may import its files. A project imports only its own files. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
  /** The file that loads a module whose path it computes. */
  readonly launcher: string;
}

interface Examined extends SourceFile {
  readonly module: string;
  readonly bare: string;
  readonly comments: string;
  readonly imports: readonly ImportLine[];
}

/** Returns all violations, each as `path:line: problem`. */
export function inspect(architecture: Architecture, files: readonly SourceFile[]): string[] {
  const examined = files.map((file) => examine(architecture, file));
  return [
    ...examined.flatMap((file) => wrongImports(architecture, file)),
    ...examined.flatMap((file) => wrongWords(architecture, file)),
    ...examined.flatMap(unnamedThings),
    ...wrongModules(architecture, examined),
    ...outsideLayers(architecture, examined),
    ...cycles(examined),
    ...wrongCycles(architecture, files),
  ];
}

function examine(architecture: Architecture, file: SourceFile): Examined {
  const scanned = scan(file.text);
  const { bare, comments } = scanned;
  return {
    ...file,
    module: projectOf(architecture, file.path) ?? moduleOf(file.path),
    bare,
    comments,
    imports: importsOf(scanned),
  };
}

/** `src/module/…` belongs to `module`, `src/main.ts` to `main`. */
function moduleOf(path: string): string {
  return /^src\/([^/.]+)/.exec(path)?.[1] ?? '';
}

function projectOf(architecture: Architecture, path: string): string | undefined {
  return Object.keys(architecture.projects).find((project) => path.startsWith(`${project}/`));
}

function wrongImports(architecture: Architecture, file: Examined): string[] {
  return file.imports.flatMap(({ specifier, line }) => {
    const wrong = wrongImport(architecture, file, specifier);
    return wrong === undefined ? [] : [`${file.path}:${line}: ${wrong}`];
  });
}

function wrongImport(
  architecture: Architecture,
  file: Examined,
  specifier: string,
): string | undefined {
  if (specifier === '?') return file.path === architecture.launcher ? undefined : 'computed import';
  if (file.module in architecture.projects) return wrongInProject(file, specifier);
  if (specifier.startsWith('#'))
    return wrongDirection(architecture, file.module, specifier.slice(1));
  if (/^(?:node:)?timers\b/.test(specifier)) return 'ambient timers';
  if (!specifier.startsWith('.')) return undefined;
  const target = normalize(join(dirname(file.path), specifier));
  const project = projectOf(architecture, target);
  if (project !== undefined) {
    const isTaken = architecture.projects[project]?.includes(file.module);
    return isTaken ? undefined : `"${file.module}" imports from "${project}"`;
  }
  if (!target.startsWith('src/')) {
    return /\.(?:json|md)$/.test(specifier)
      ? undefined
      : `import of "${specifier}" from outside src`;
  }
  const module = moduleOf(target);
  if (module !== file.module) return `deep import past the entry point of "${module}"`;
  return wrongLayer(architecture.innerLayers[module], file.path, target);
}

/** Relative imports must stay in the project, and imports of `src` are refused. */
function wrongInProject(file: Examined, specifier: string): string | undefined {
  const isWithin = normalize(join(dirname(file.path), specifier)).startsWith(`${file.module}/`);
  const isFree = specifier.startsWith('.') ? isWithin : !specifier.startsWith('#');
  return isFree ? undefined : `import of "${specifier}" from outside "${file.module}"`;
}

/** Returns the violation if a folder of a layered module imports another folder of the same layer or of a higher one. */
function wrongLayer(
  innerLayers: readonly (readonly string[])[] | undefined,
  path: string,
  target: string,
): string | undefined {
  if (innerLayers === undefined || isEntryPoint(path)) return undefined;
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from === to || isLoose(path)) return undefined;
  if (isEntryPoint(target)) return `"${from}" imports the entry point of its own module`;
  const [own, other] = [from, to].map((folder) =>
    innerLayers.findIndex((layer) => layer.includes(folder)),
  );
  if (own === undefined || other === undefined || other < own) return undefined;
  return `"${from}" imports "${to}" ${other === own ? 'sideways' : 'upwards'}`;
}

/** `src/module/folder/…` lies in `folder`. */
function folderOf(path: string): string {
  return path.split('/')[2] ?? '';
}

function isLoose(path: string): boolean {
  return path.split('/').length === 3;
}

function isEntryPoint(path: string): boolean {
  return isLoose(path) && path.endsWith('/index.ts');
}

/** Returns the files of a layered module that are in none of its layers. */
function outsideLayers(architecture: Architecture, files: readonly Examined[]): string[] {
  return files.flatMap(({ path, module }) => {
    const innerLayers = architecture.innerLayers[module];
    if (innerLayers === undefined || isEntryPoint(path)) return [];
    if (isLoose(path)) return [`${path}: loose in a module that has layers`];
    const isKnown = innerLayers.some((layer) => layer.includes(folderOf(path)));
    return isKnown ? [] : [`${path}: "${folderOf(path)}" is in no layer of "${module}"`];
  });
}

function wrongDirection(architecture: Architecture, from: string, to: string): string | undefined {
  if (to.includes('/')) return `deep import past the entry point of "${to.split('/')[0]}"`;
  const own = layerOf(architecture, from);
  const other = layerOf(architecture, to);
  if (other === -1) return `import of "${to}", which is not in the layer order`;
  if (other >= own) return `"${from}" imports "${to}" ${other === own ? 'sideways' : 'upwards'}`;
  const isRefused =
    architecture.forbidden[from]?.includes(to) ||
    architecture.confined[from]?.includes(to) === false;
  return isRefused ? `"${from}" must not import "${to}"` : undefined;
}

function layerOf(architecture: Architecture, module: string): number {
  return architecture.layerOrder.findIndex((layer) => layer.includes(module));
}

const ambientWords =
  /\b(?:Date\.now|performance\.now|Math\.random|process\.(?:env|hrtime)|Bun\.(?:env|sleep|sleepSync|nanoseconds)|import\.meta\.env|AbortSignal\.timeout|crypto\.(?:getRandomValues|randomUUID|randomBytes)|new Date\(\)|Date\(\)|(?<!\.)(?:setTimeout|setInterval|setImmediate))(?!\w)/;

/** Matches uses of the value, not declarations of a method or parameter of this name. */
const globalFetch =
  /\bglobalThis\.fetch\b|(?:\b(?:await|return)|=>|\?\?|[=(:])\s*fetch\b(?!\s*[:=?])/;

/** Words in code (not in comments or string literals) and the modules that may use them. */
function wrongWords(architecture: Architecture, file: Examined): string[] {
  const words: readonly [RegExp, string, readonly string[]][] = [
    [/\bexport\s+default\b|\bas\s+default\b/, 'default export', []],
    [/(?<![.\w$]|\b(?:const|let|function)\s)any(?![\w$]|\s*[(:?])/, 'any', []],
    [ambientWords, 'ambient', architecture.ambient],
    // Texts become times by `parseInstant` of `value`: this one reads 30 February as 2 March.
    [/\bDate\.parse(?!\w)/, 'lenient', ['clients/typescript/runtime/client/failure.ts']],
    [/(?<![.\w$])console\s*\./, 'console', architecture.printing],
    [globalFetch, 'fetch', architecture.fetching],
  ];
  const found = words.flatMap(([word, name, modules]) =>
    modules.some(
      (allowed) =>
        file.module === allowed || file.path === `src/${allowed}` || file.path === allowed,
    )
      ? []
      : occurrences(file.path, file.bare, word, name),
  );
  return [...found, ...occurrences(file.path, file.text, /@ts-(?:ignore|nocheck)/, 'suppressed')];
}

function occurrences(path: string, text: string, word: RegExp, name: string): string[] {
  return Array.from(
    text.matchAll(new RegExp(word, 'g')),
    (match) => `${path}:${lineAt(text, match.index)}: ${name}: ${match[0]}`,
  );
}

const pronoun = /(?<=(?:\/\*\*?|\/\/|[.!?])\s(?:\s*\*\s)?)(?:It|Who|Whoever)(?=\s)/;

/** Returns the sentences of comments that begin with a pronoun instead of a noun. */
function unnamedThings({ path, comments }: Examined): string[] {
  return occurrences(path, comments, pronoun, 'a sentence begins with');
}

const entryComment = { linesMin: 5, linesMax: 20 };

/** A module must be in the layer order and have an entry point, index.ts, whose first comment introduces the module. */
function wrongModules(architecture: Architecture, files: readonly Examined[]): string[] {
  const modules = [...new Set(files.map((file) => file.module))];
  return modules.flatMap((module) => {
    if (module in architecture.projects) return [];
    if (layerOf(architecture, module) === -1) return [`src/${module}: not in the layer order`];
    if (module === 'main') return [];
    const entryPoint = files.find((file) => file.path === `src/${module}/index.ts`);
    if (entryPoint === undefined) return [`src/${module}: no index.ts`];
    const lines = /^\/\*\*[\s\S]*?\*\//.exec(entryPoint.text)?.[0].split('\n').length ?? 0;
    const isFit = lines >= entryComment.linesMin && lines <= entryComment.linesMax;
    return isFit ? [] : [`${entryPoint.path}:1: header comment of ${lines} lines`];
  });
}

/** Returns the cycles of modules: whatever the layer order, no module may depend on itself through others. */
function cycles(files: readonly Examined[]): string[] {
  const graph = new Map<string, Set<string>>();
  for (const { module, imports } of files) {
    const targets = graph.get(module) ?? new Set();
    graph.set(module, targets);
    for (const { specifier } of imports) {
      if (specifier.startsWith('#') && specifier !== `#${module}`) targets.add(specifier.slice(1));
    }
  }
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (module: string, path: readonly string[]) => {
    if (path.includes(module))
      found.push(`src: cycle of modules: ${[...path, module].join(' > ')}`);
    if (path.includes(module) || done.has(module)) return;
    for (const target of graph.get(module) ?? []) visit(target, [...path, module]);
    done.add(module);
  };
  for (const module of graph.keys()) visit(module, []);
  return found;
}

/** Returns the import cycles of files, except cycles within one folder of `recursive`. */
function wrongCycles(architecture: Architecture, files: readonly SourceFile[]): string[] {
  return cyclesOfFiles(files)
    .filter((group) => {
      const folders = new Set(group.map((path) => dirname(path)));
      return (
        folders.size > 1 || !folders.values().every((folder) => folder in architecture.recursive)
      );
    })
    .map((group) => `src: cycle of files: ${group.join(', ')}`);
}
