/** Names in an application for things of the schema: as the schema calls them where the language can, and never one name for two. */

/** The rules of one kind of names, in one language. */
interface NamingRules {
  /** The name by the rules; what the language or the runtime has taken is in `taken`. */
  readonly of: (name: string) => string;
  readonly taken: ReadonlySet<string>;
}

export interface Nameable {
  /** In the schema. */
  readonly name: string;
  /** Schema id: of two that would be named alike the later one is told apart by this. */
  readonly id: number;
  /** What the configuration says. */
  readonly chosen: string | undefined;
}

/** In the order of `things`. Throws the name that was chosen twice. */
export function assignNames(
  things: readonly Nameable[],
  { of, taken }: NamingRules,
): readonly string[] {
  const used = new Set<string>();
  const names = new Map<Nameable, string>();
  for (const thing of things) {
    if (thing.chosen === undefined) continue;
    if (used.has(thing.chosen) || taken.has(thing.chosen)) throw new NameTaken(thing.chosen);
    used.add(thing.chosen);
    names.set(thing, thing.chosen);
  }
  for (const thing of [...things].sort((left, right) => left.id - right.id)) {
    if (names.has(thing)) continue;
    const isFree = (name: string) => !used.has(name) && !taken.has(name);
    const name = freeName(of(thing.name), thing.id, isFree);
    used.add(name);
    names.set(thing, name);
  }
  return things.map((thing) => names.get(thing) as string);
}

/** `plain` if it is free, else the first free one of `plain_more`, `plain_more_2` and so on. */
export function freeName(
  plain: string,
  more: string | number,
  isFree: (name: string) => boolean,
): string {
  let name = plain;
  for (let turn = 1; !isFree(name); turn++) {
    name = `${plain}_${more}${turn === 1 ? '' : `_${turn}`}`;
  }
  return name;
}

/** Where the names of a relation stand in the configuration of its key. */
export const relationPlaces = { forward: 0, reverse: 1, through: 2 } as const;

export class NameTaken extends Error {
  readonly taken: string;

  constructor(taken: string) {
    super(`${taken} is taken`);
    this.name = 'NameTaken';
    this.taken = taken;
  }
}

/** Letters and digits of any script, with each run's first letter in upper case: `blog_posts` becomes `BlogPosts`. */
export function pascalCase(name: string): string {
  return runsOf(name).map(capitalized).join('');
}

/** `created_at` becomes `createdAt`; what has no letter or digit is empty. */
export function camelCase(name: string): string {
  const [first = '', ...rest] = runsOf(name);
  return first.charAt(0).toLowerCase() + first.slice(1) + rest.map(capitalized).join('');
}

function runsOf(name: string): readonly string[] {
  return name.match(/[\p{L}\p{Nd}]+/gu) ?? [];
}

function capitalized(run: string): string {
  const [first = ''] = run;
  return first.toUpperCase() + run.slice(first.length);
}
