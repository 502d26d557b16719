/** The words that decide where a literal is a value. Each has a set of bits, which are its roles. */

export const roles = {
  /** The first word of a statement whose literals are cut. */
  cutStatement: 1,
  /** A word after which an expression begins. */
  expression: 2,
  /** A clause that ends a list of GROUP BY or ORDER BY. The integers in such a list are ordinals. */
  endOfBy: 4,
  /** A word that can follow another word in the name of a type. */
  typePart: 8,
  by: 16,
  as: 32,
  array: 64,
  on: 128,
  distinct: 256,
  extract: 512,
  materialized: 1024,
} as const;

const words: readonly (readonly [role: number, words: string])[] = [
  [roles.cutStatement, 'select insert update delete values with'],
  [
    roles.expression,
    'select where and or not when then else having limit offset values between like ilike returning all distinct case on from',
  ],
  [
    roles.endOfBy,
    'having limit offset fetch for union intersect except window returning order rows range groups select from',
  ],
  [roles.typePart, 'varying precision character char'],
  [roles.by, 'by'],
  [roles.as, 'as'],
  [roles.array, 'array'],
  [roles.on, 'on'],
  [roles.distinct, 'distinct'],
  [roles.extract, 'extract'],
  [roles.materialized, 'materialized'],
];

const rolesByWord = new Map<string, number>();
for (const [role, list] of words) {
  for (const word of list.split(' ')) rolesByWord.set(word, (rolesByWord.get(word) ?? 0) | role);
}

interface Keyword {
  readonly word: string;
  readonly roles: number;
}

const keywords = new Map<number, readonly Keyword[]>();
let lengthMax = 0;
for (const [word, bits] of rolesByWord) {
  const hash = hashOf(word, 0, word.length);
  keywords.set(hash, [...(keywords.get(hash) ?? []), { word, roles: bits }]);
  lengthMax = Math.max(lengthMax, word.length);
}

/** Returns the roles of a word in either case; 0 if it has none. Makes no string, because most tokens are words. */
export function rolesOf(text: string, start: number, end: number): number {
  if (end - start > lengthMax) return 0;
  const found = keywords.get(hashOf(text, start, end));
  if (found === undefined) return 0;
  for (const { word, roles: bits } of found) {
    if (word.length === end - start && isSame(text, start, word)) return bits;
  }
  return 0;
}

function hashOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + lower(text, at)) | 0;
  return hash;
}

function isSame(text: string, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    if (lower(text, start + at) !== word.charCodeAt(at)) return false;
  }
  return true;
}

/** The code of a letter in lower case. Other characters have any code, which no keyword contains. */
function lower(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? code | 32 : 0;
}
