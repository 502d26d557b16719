/** Names of schema objects in an application. A name is that of the schema if the language allows it, and it is unique within its scope. */

/** The rules for one kind of names in one language. */
interface NamingRules {
  /** Converts a schema name according to the rules. The names that the language or the runtime reserves are in `taken`. */
  readonly of: (name: string) => string;
  readonly taken: ReadonlySet<string>;
}

export interface Nameable {
  /** The name in the schema. */
  readonly name: string;
  /** Schema id. If two names collide, the object with the higher id gets its id as a suffix. */
  readonly id: number;
  /** The name from the configuration. */
  readonly chosen: string | undefined;
}

/** Returns the names in the order of `things`. Throws NameTaken for a chosen name that is already taken. */
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

/** Returns `plain` if it is free, or else the first free name of `plain_more`, `plain_more_2` and so on. */
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

/** Positions of the names of a relation in the configuration of its foreign key. */
export const relationPlaces = { forward: 0, reverse: 1, through: 2 } as const;

export class NameTaken extends Error {
  readonly taken: string;

  constructor(taken: string) {
    super(`${taken} is taken`);
    this.name = 'NameTaken';
    this.taken = taken;
  }
}

/** Joins the runs of letters and digits of any script, each with its first letter in upper case: `blog_posts` becomes `BlogPosts`. */
export function pascalCase(name: string): string {
  return runsOf(name).map(capitalized).join('');
}

/** Converts `created_at` to `createdAt`. A name without letters and digits becomes the empty string. */
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
