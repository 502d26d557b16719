/** Reads the list `generate` of a configuration file. An unknown name is an error with its position and the nearest valid name. */

import {
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
} from 'yaml';
import { nearestOf } from '#base';
import {
  type ColumnRule,
  defaultTarget,
  int64Modes,
  type Language,
  languages,
  type Placed,
  type Position,
  type Target,
  TargetError,
} from './target.ts';

const choices = {
  language: languages,
  emit: ['ts', 'js'],
  imports: ['js', 'ts', 'none'],
  int64: int64Modes,
  unix_ms: ['number', 'native'],
  ids: ['plain', 'branded'],
  naming: ['preserve', 'camel'],
  rows: ['dataclass', 'dict'],
  runtime: ['vendored'],
} as const;

const members = [
  ...['language', 'output', 'package', 'runtime', 'emit', 'imports', 'int64', 'unix_ms'],
  ...['ids', 'naming', 'rows', 'columns', 'names', 'relations'],
];

/** Members that only clients in TypeScript have. */
const typescriptOnly = ['emit', 'imports', 'int64', 'naming', 'columns', 'ids'];

/** Returns the targets. `node` is the value of `generate`. Throws TargetError. */
export function readTargets(
  node: Node | null | undefined,
  counter: LineCounter,
): readonly Target[] {
  if (node === undefined || node === null || (isScalar(node) && node.value === null)) return [];
  const here = new Place(node, counter, 'generate');
  if (!isSeq(node))
    throw here.wrong(
      'generate must be a list, such as `generate: [{language: typescript, output: src/db}]`',
    );
  const targets = node.items.map((item, i) =>
    targetOf(here.inside(item as ParsedNode, `generate[${i}]`)),
  );
  const taken = new Set<string>();
  for (const { at, language, output } of targets) {
    const place = `${language} ${output}`;
    if (taken.has(place)) throw new TargetError(at, `two clients for ${language} in ${output}`);
    taken.add(place);
  }
  return targets;
}

function targetOf(place: Place): Target {
  const given = place.members(members);
  const required = (name: string) => {
    const found = given.get(name);
    if (found === undefined) throw place.wrong(`${name} is missing`);
    return found;
  };
  const choice = <Name extends keyof typeof choices>(
    name: Name,
    otherwise: (typeof choices)[Name][number],
  ) =>
    given.get(name)?.oneOf(choices[name] as readonly (typeof choices)[Name][number][]) ?? otherwise;
  required('language');
  const language = choice('language', 'typescript');
  for (const name of typescriptOnly) {
    const found = language === 'typescript' || name === 'ids' ? undefined : given.get(name);
    if (found) throw found.wrong(`${name} is only for clients in TypeScript`);
  }
  const rows = language === 'python' ? undefined : given.get('rows');
  if (rows) throw rows.wrong('rows is only for clients in Python');
  choice('runtime', 'vendored');
  const output = required('output');
  if (/\p{Cc}/u.test(output.text())) throw output.wrong('output has a control character');
  return {
    ...defaultTarget(language, output.text()),
    at: output.at,
    package: packageOf(given.get('package'), language),
    emit: choice('emit', 'ts'),
    imports: choice('imports', 'js'),
    int64: choice('int64', 'bigint'),
    unixMs: choice('unix_ms', 'number'),
    ids: choice('ids', 'plain'),
    naming: choice('naming', 'preserve'),
    rows: choice('rows', 'dataclass'),
    columns: mapOf(given.get('columns'), ruleOf),
    names: mapOf(given.get('names'), (one) => one.text()),
    relations: mapOf(given.get('relations'), (one) => one.texts(2, 3)),
  };
}

function packageOf(place: Place | undefined, language: Language): string {
  if (place === undefined) return 'db';
  if (language === 'typescript') throw place.wrong('package is only for clients in Go and Python');
  const name = place.text();
  if (isPackageName(name)) return name;
  throw place.wrong(
    `${JSON.stringify(name)} is not a package name: expected lower-case letters, digits and _, starting with a letter, and not a keyword of Go or Python`,
  );
}

/** Keywords of Go and Python. A package with such a name cannot be imported. */
const keywords: ReadonlySet<string> = new Set(
  (
    'and as assert async await break case chan class const continue def default defer del elif else except fallthrough finally for from func ' +
    'global go goto if import in interface is lambda map nonlocal not or package pass raise range return select struct switch try type var while with yield'
  ).split(' '),
);

export function isPackageName(name: string): boolean {
  return /^[a-z][a-z0-9_]{0,63}$/.test(name) && !keywords.has(name);
}

function ruleOf(place: Place): ColumnRule {
  if (isScalar(place.node)) return { int64: place.oneOf(int64Modes) };
  const given = place.members(['type', 'json']);
  const [[name, type] = [], ...others] = [...given];
  if (name === undefined || type === undefined || others.length > 0) {
    throw place.wrong('a column takes one of bigint, number, string, {type: "…"} and {json: "…"}');
  }
  if (!isType(type.text()))
    throw type.wrong(`${JSON.stringify(type.text())} is not a type in TypeScript`);
  return { [name]: type.text() };
}

const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/**
 * Returns whether the text is safe as a type in the generated module: one line, no comment, balanced brackets, and no character that ends the member outside of
 * brackets.
 */
function isType(text: string): boolean {
  const bare = text.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|=>/g, '');
  if (/[\p{Cc}\u2028\u2029'"`]|\/[/*]/u.test(bare)) return false;
  const open: string[] = [];
  for (const character of bare) {
    if ('([{'.includes(character)) open.push(character);
    else if (character in brackets && open.pop() !== brackets[character]) return false;
    else if (';=,'.includes(character) && open.length === 0 && !bare.includes('<')) return false;
    else if (character === ';' && open.length === 0) return false;
  }
  return open.length === 0;
}

function mapOf<T>(
  place: Place | undefined,
  read: (place: Place) => T,
): ReadonlyMap<string, Placed<T>> {
  const entries = place?.members() ?? [];
  return new Map([...entries].map(([name, one]) => [name, { value: read(one), at: one.keyAt }]));
}

/** A node of the file with the name that messages use for it. */
class Place {
  readonly node: Node | null;
  private readonly counter: LineCounter;
  private readonly path: string;
  /** Position of the member's key, if the node is a member. */
  readonly keyAt: Position;

  constructor(node: Node | null, counter: LineCounter, path: string, key?: Node) {
    this.node = node;
    this.counter = counter;
    this.path = path;
    this.keyAt = positionOf(key ?? node, counter);
  }

  get at(): Position {
    return positionOf(this.node, this.counter);
  }

  inside(node: Node | null, path: string, key?: Node): Place {
    return new Place(node, this.counter, path, key);
  }

  wrong(what: string): TargetError {
    return new TargetError(this.node === null ? this.keyAt : this.at, what);
  }

  /** Returns the members by name. If `allowed` is given, other names throw TargetError. */
  members(allowed?: readonly string[]): ReadonlyMap<string, Place> {
    if (!isMap(this.node)) throw this.wrong(`${this.path} is not a mapping`);
    return new Map(
      this.node.items.map((item) => {
        const { key, value } = item as Pair<Node, Node | null>;
        const name = String(isScalar(key) ? key.value : key);
        const member = this.inside(value, `${this.path}.${name}`, key);
        if (allowed && !allowed.includes(name)) {
          throw new TargetError(
            member.keyAt,
            `unknown member ${JSON.stringify(name)} of ${this.path}${near(name, allowed)}`,
          );
        }
        return [name, member];
      }),
    );
  }

  text(): string {
    const value = isScalar(this.node) ? this.node.value : undefined;
    if (typeof value === 'string' && value !== '') return value;
    throw this.wrong(`${this.path} is not a string`);
  }

  texts(least: number, most: number): readonly string[] {
    const items = isSeq(this.node) ? this.node.items : [];
    if (items.length < least || items.length > most) {
      throw this.wrong(`${this.path} is not a list of ${least} or ${most} names`);
    }
    return items.map((item, i) => this.inside(item as Node, `${this.path}[${i}]`).text());
  }

  oneOf<Choice extends string>(allowed: readonly Choice[]): Choice {
    const value = isScalar(this.node) ? this.node.value : undefined;
    const found = allowed.find((one) => one === value);
    if (found !== undefined) return found;
    throw this.wrong(
      `${this.path} must be one of ${allowed.join(', ')}${near(String(value), allowed)}`,
    );
  }
}

/** Returns the suggestion of the nearest allowed name as the end of a message, or an empty string. */
export function near(word: string, allowed: readonly string[]): string {
  const nearest = nearestOf(word, allowed);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

function positionOf(node: Node | null | undefined, counter: LineCounter): Position {
  const { line, col } = counter.linePos(node?.range?.[0] ?? 0);
  return { line, column: col };
}
