/** The rules that keep the house in order. Each looks at the whole source tree and tells what it found. */

import { dirname, join, normalize } from 'node:path';
import { type ImportLine, importsOf, lineAt, type SourceFile, scan } from './source.ts';
import { circlesOfFiles } from './tree.ts';

export interface House {
  /** Lines of rooms, lowest first: a room may import from lower lines only. */
  readonly ladder: readonly (readonly string[])[];
  /** Of large rooms: lines of their folders, lowest first. Beside the folders stands the door alone, which may import them all. */
  readonly floors: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Rooms that a room must not import although they are lower. */
  readonly forbidden: Readonly<Record<string, readonly string[]>>;
  /** The only rooms that a room may import. */
  readonly confined: Readonly<Record<string, readonly string[]>>;
  /** Folders whose files may import each other in a circle, each with the reason. */
  readonly recursive: Readonly<Record<string, string>>;
  /** Rooms, or single files of rooms, that may touch the clock, chance, timers and the environment of the process. */
  readonly ambient: readonly string[];
  /** Rooms that may write to the console. */
  readonly printing: readonly string[];
  /** Rooms, or single files of rooms, that may call the global `fetch`: it would send requests to this machine through a proxy of the environment. */
  readonly fetching: readonly string[];
  /** Projects of their own beside `src`, each with the rooms that may take files from it. A project takes files from itself alone. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
  /** The file that loads a module whose path it computes. */
  readonly launcher: string;
}

interface Examined extends SourceFile {
  readonly room: string;
  readonly bare: string;
  readonly comments: string;
  readonly imports: readonly ImportLine[];
}

/** All violations, each as `path:line: what is wrong`. */
export function inspect(house: House, files: readonly SourceFile[]): string[] {
  const examined = files.map((file) => examine(house, file));
  return [
    ...examined.flatMap((file) => wrongImports(house, file)),
    ...examined.flatMap((file) => wrongWords(house, file)),
    ...examined.flatMap(unnamedThings),
    ...wrongRooms(house, examined),
    ...offTheFloors(house, examined),
    ...circles(examined),
    ...wrongCircles(house, files),
  ];
}

function examine(house: House, file: SourceFile): Examined {
  const scanned = scan(file.text);
  const { bare, comments } = scanned;
  return {
    ...file,
    room: projectOf(house, file.path) ?? roomOf(file.path),
    bare,
    comments,
    imports: importsOf(scanned),
  };
}

/** `src/room/…` belongs to `room`, `src/main.ts` to `main`. */
function roomOf(path: string): string {
  return /^src\/([^/.]+)/.exec(path)?.[1] ?? '';
}

function projectOf(house: House, path: string): string | undefined {
  return Object.keys(house.projects).find((project) => path.startsWith(`${project}/`));
}

function wrongImports(house: House, file: Examined): string[] {
  return file.imports.flatMap(({ specifier, line }) => {
    const wrong = wrongImport(house, file, specifier);
    return wrong === undefined ? [] : [`${file.path}:${line}: ${wrong}`];
  });
}

function wrongImport(house: House, file: Examined, specifier: string): string | undefined {
  if (specifier === '?') return file.path === house.launcher ? undefined : 'computed import';
  if (file.room in house.projects) return wrongInProject(file, specifier);
  if (specifier.startsWith('#')) return wrongDirection(house, file.room, specifier.slice(1));
  if (/^(?:node:)?timers\b/.test(specifier)) return 'ambient timers';
  if (!specifier.startsWith('.')) return undefined;
  const target = normalize(join(dirname(file.path), specifier));
  const project = projectOf(house, target);
  if (project !== undefined) {
    const isTaken = house.projects[project]?.includes(file.room);
    return isTaken ? undefined : `"${file.room}" imports from "${project}"`;
  }
  if (!target.startsWith('src/')) {
    return /\.(?:json|md)$/.test(specifier)
      ? undefined
      : `import of "${specifier}" from outside src`;
  }
  const room = roomOf(target);
  if (room !== file.room) return `deep import past the door of "${room}"`;
  return wrongFloor(house.floors[room], file.path, target);
}

/** Relative imports stay in the project, and `src` is out of reach. */
function wrongInProject(file: Examined, specifier: string): string | undefined {
  const isWithin = normalize(join(dirname(file.path), specifier)).startsWith(`${file.room}/`);
  const isFree = specifier.startsWith('.') ? isWithin : !specifier.startsWith('#');
  return isFree ? undefined : `import of "${specifier}" from outside "${file.room}"`;
}

/** Within a room that has floors: from a folder to another one on the same line, or above. */
function wrongFloor(
  floors: readonly (readonly string[])[] | undefined,
  path: string,
  target: string,
): string | undefined {
  if (floors === undefined || isDoor(path)) return undefined;
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from === to || isLoose(path)) return undefined;
  if (isDoor(target)) return `"${from}" imports the door of its own room`;
  const [own, other] = [from, to].map((folder) =>
    floors.findIndex((line) => line.includes(folder)),
  );
  if (own === undefined || other === undefined || other < own) return undefined;
  return `"${from}" imports "${to}" ${other === own ? 'sideways' : 'upwards'}`;
}

/** `src/room/folder/…` lies in `folder`. */
function folderOf(path: string): string {
  return path.split('/')[2] ?? '';
}

function isLoose(path: string): boolean {
  return path.split('/').length === 3;
}

function isDoor(path: string): boolean {
  return isLoose(path) && path.endsWith('/index.ts');
}

/** Files of a room with floors that are on none. */
function offTheFloors(house: House, files: readonly Examined[]): string[] {
  return files.flatMap(({ path, room }) => {
    const floors = house.floors[room];
    if (floors === undefined || isDoor(path)) return [];
    if (isLoose(path)) return [`${path}: loose in a room that has floors`];
    const isKnown = floors.some((line) => line.includes(folderOf(path)));
    return isKnown ? [] : [`${path}: "${folderOf(path)}" is on no floor of "${room}"`];
  });
}

function wrongDirection(house: House, from: string, to: string): string | undefined {
  if (to.includes('/')) return `deep import past the door of "${to.split('/')[0]}"`;
  const own = lineOf(house, from);
  const other = lineOf(house, to);
  if (other === -1) return `import of "${to}", which is not on the ladder`;
  if (other >= own) return `"${from}" imports "${to}" ${other === own ? 'sideways' : 'upwards'}`;
  const isRefused =
    house.forbidden[from]?.includes(to) || house.confined[from]?.includes(to) === false;
  return isRefused ? `"${from}" must not import "${to}"` : undefined;
}

function lineOf(house: House, room: string): number {
  return house.ladder.findIndex((line) => line.includes(room));
}

const ambientWords =
  /\b(?:Date\.now|performance\.now|Math\.random|process\.(?:env|hrtime)|Bun\.(?:env|sleep|sleepSync|nanoseconds)|import\.meta\.env|AbortSignal\.timeout|crypto\.(?:getRandomValues|randomUUID|randomBytes)|new Date\(\)|Date\(\)|(?<!\.)(?:setTimeout|setInterval|setImmediate))(?!\w)/;

/** Where a value is used, not where a method or parameter of this name is declared. */
const globalFetch =
  /\bglobalThis\.fetch\b|(?:\b(?:await|return)|=>|\?\?|[=(:])\s*fetch\b(?!\s*[:=?])/;

/** Words in code (not in comments or texts) and the rooms that may use them. */
function wrongWords(house: House, file: Examined): string[] {
  const words: readonly [RegExp, string, readonly string[]][] = [
    [/\bexport\s+default\b|\bas\s+default\b/, 'default export', []],
    [/(?<![.\w$]|\b(?:const|let|function)\s)any(?![\w$]|\s*[(:?])/, 'any', []],
    [ambientWords, 'ambient', house.ambient],
    // Texts become times by `parseInstant` of `value`: this one reads 30 February as 2 March.
    [/\bDate\.parse(?!\w)/, 'lenient', ['clients/typescript/runtime/client/failure.ts']],
    [/(?<![.\w$])console\s*\./, 'console', house.printing],
    [globalFetch, 'fetch', house.fetching],
  ];
  const found = words.flatMap(([word, name, rooms]) =>
    rooms.some(
      (place) => file.room === place || file.path === `src/${place}` || file.path === place,
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

/** Sentences of comments that begin with a pronoun, where the thing has a name. */
function unnamedThings({ path, comments }: Examined): string[] {
  return occurrences(path, comments, pronoun, 'a sentence begins with');
}

const doorComment = { linesMin: 5, linesMax: 20 };

/** A room is on the ladder and has a door: index.ts, opened by a comment that introduces the room. */
function wrongRooms(house: House, files: readonly Examined[]): string[] {
  const rooms = [...new Set(files.map((file) => file.room))];
  return rooms.flatMap((room) => {
    if (room in house.projects) return [];
    if (lineOf(house, room) === -1) return [`src/${room}: not on the ladder`];
    if (room === 'main') return [];
    const door = files.find((file) => file.path === `src/${room}/index.ts`);
    if (door === undefined) return [`src/${room}: no index.ts`];
    const lines = /^\/\*\*[\s\S]*?\*\//.exec(door.text)?.[0].split('\n').length ?? 0;
    const isFit = lines >= doorComment.linesMin && lines <= doorComment.linesMax;
    return isFit ? [] : [`${door.path}:1: header comment of ${lines} lines`];
  });
}

/** Circles of rooms: whatever the ladder says, no room may depend on itself through others. */
function circles(files: readonly Examined[]): string[] {
  const graph = new Map<string, Set<string>>();
  for (const { room, imports } of files) {
    const targets = graph.get(room) ?? new Set();
    graph.set(room, targets);
    for (const { specifier } of imports) {
      if (specifier.startsWith('#') && specifier !== `#${room}`) targets.add(specifier.slice(1));
    }
  }
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (room: string, path: readonly string[]) => {
    if (path.includes(room)) found.push(`src: circle of rooms: ${[...path, room].join(' > ')}`);
    if (path.includes(room) || done.has(room)) return;
    for (const target of graph.get(room) ?? []) visit(target, [...path, room]);
    done.add(room);
  };
  for (const room of graph.keys()) visit(room, []);
  return found;
}

/** Circles of files, but for those that lie in one folder that is meant to recurse. */
function wrongCircles(house: House, files: readonly SourceFile[]): string[] {
  return circlesOfFiles(files)
    .filter((group) => {
      const folders = new Set(group.map((path) => dirname(path)));
      return folders.size > 1 || !folders.values().every((folder) => folder in house.recursive);
    })
    .map((group) => `src: circle of files: ${group.join(', ')}`);
}
