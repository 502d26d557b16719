/** The grammar of PostgreSQL: from text to the trees of its statements. */

import type { Node } from 'libpg-query';
import { type SqlError, sqlError } from '../sql-error.ts';
import { type GrammarResult, openInstance, type ParserInstance } from './instance.ts';
import { requireParsable, tooDeep } from './limits.ts';
import { utf8Length } from './position.ts';

/** The tree of one statement, with its place in the text in UTF-16 units. */
interface RawStatement {
  readonly node: Node;
  readonly start: number;
  readonly end: number;
}

/** The memory that an instance reserves at first. An instance that has grown is replaced, because its memory never shrinks. */
const instanceBytesMax = 128 * 1024 * 1024;

let instance: ParserInstance | undefined;
let opening: Promise<void> | undefined;

/** Returns whether `parseText` can be called now. */
export function isGrammarReady(): boolean {
  return instance !== undefined;
}

/** Returns the memory of the instance in bytes; 0 if there is none. */
export function grammarBytes(): number {
  return instance?.bytes() ?? 0;
}

/** Loads the parser, or replaces it after a failure. */
export function loadGrammar(): Promise<void> {
  opening ??= openInstance().then(
    (opened) => {
      instance = opened;
      opening = undefined;
    },
    (error) => {
      opening = undefined;
      throw error;
    },
  );
  return opening;
}

/** Parses a text of any number of statements. Throws an `SqlError` with a position in characters. The grammar must be ready. */
export function parseText(text: string): readonly RawStatement[] {
  requireParsable(text);
  const result = parseGuarded(text);
  if (result.kind === 'error') throw errorOf(result.message, result.character);
  const unitAt = unitsOf(text);
  return (result.tree.stmts ?? []).map(({ stmt, stmt_location = 0, stmt_len = 0 }) => {
    const start = unitAt(stmt_location);
    const end = stmt_len === 0 ? text.length : unitAt(stmt_location + stmt_len);
    return { node: stmt as Node, start, end };
  });
}

function parseGuarded(text: string): GrammarResult {
  if (instance === undefined) throw new Error('the parser is not loaded');
  const used = instance;
  try {
    const result = used.parse(text);
    if (used.bytes() > instanceBytesMax) replaceInstance();
    return result;
  } catch {
    // The stack of the instance has ended within a call, so its memory is not in order.
    instance = undefined;
    throw tooDeep();
  }
}

/** Opens another instance. The grown one is used until then, and remains if no other can be opened. */
function replaceInstance(): void {
  loadGrammar().catch(() => undefined);
}

const states: readonly (readonly [pattern: RegExp, sqlstate: string])[] = [
  [/^stack depth limit/, '54001'],
  [/is not supported$|not (?:yet )?implemented/, '0A000'],
  [/^invalid byte sequence/, '22021'],
  [/^unsafe use of|^nonstandard use/, '22P06'],
  [/^invalid Unicode escape value/, '42601'],
  [/^invalid escape|^invalid Unicode escape/, '22025'],
];

function errorOf(message: string, character: number): SqlError {
  const sqlstate = states.find(([pattern]) => pattern.test(message))?.[1] ?? '42601';
  return sqlError(sqlstate, message, character > 0 ? { position: character } : {});
}

/** Returns a function from byte offsets, which must ascend, to UTF-16 units. */
function unitsOf(text: string): (bytes: number) => number {
  if (Buffer.byteLength(text) === text.length) return (bytes) => bytes;
  let [units, passed] = [0, 0];
  return (bytes) => {
    while (passed < bytes && units < text.length) {
      const code = text.codePointAt(units) as number;
      passed += utf8Length(code);
      units += code < 0x10000 ? 1 : 2;
    }
    return units;
  };
}
