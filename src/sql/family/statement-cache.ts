/** Recognized and compiled statements by their family text, so that a statement that differs only in literals is neither parsed nor compiled again. */

import type { Node } from 'libpg-query';
import type { CompileInput, CompileSetting } from '../compile-input.ts';
import type { SqlValue } from '../compiled.ts';
import { tooDeep } from '../parse/limits.ts';
import { SqlError } from '../sql-error.ts';
import type { PlacedStatement, SqlStatement } from '../statement.ts';
import type { Parser } from '../statements/parser.ts';
import type { SqlType } from '../types/sql-type.ts';
import { type CutStatement, cutStatements } from './cut.ts';
import { type Family, FamilyStore } from './family-store.ts';
import { literalValue } from './literal.ts';

interface StatementCacheOptions<Value> {
  /** Compiles a statement. Throws if it cannot be compiled. */
  compile(input: CompileInput): Value;
  /** Indexes of the literals whose values the compiler used. */
  pinnedOf(value: Value): readonly number[];
  /** Whether a value is still right: its tables exist and are unchanged. */
  isValid(value: Value, setting: CompileSetting): boolean;
  /** Limit of the estimated memory; 8 MiB if absent. */
  readonly bytesMax?: number | undefined;
}

/** A statement of a message. */
export type RecognizedStatement = RecognizedProgram | RecognizedCommand;

interface Recognized {
  /** The statement in the message, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly parametersMax: number;
}

/** A statement that `prepare` compiles. */
export interface RecognizedProgram extends Recognized {
  readonly kind: 'program';
  readonly message: string;
  /** Position in the list of statements of the message. */
  readonly index: number;
  /** `undefined` if the statement is not cached. */
  readonly cut: CutStatement | undefined;
  /** The tree of the family if there is a family, else of the statement. `undefined` if it was not parsed. */
  readonly node: Node | undefined;
}

interface RecognizedCommand extends Recognized {
  readonly kind: 'command';
  readonly statement: Exclude<SqlStatement, { kind: 'program' }>;
}

export interface PrepareRequest {
  readonly parameterTypes: readonly (SqlType | undefined)[];
  readonly setting: CompileSetting;
  /** Everything of the setting and the principal that the value depends on, as one string. */
  readonly scope: string;
}

interface PreparedStatement<Value> {
  readonly value: Value;
  /** The values of the literals of this statement (`StatementValues.literals`). */
  readonly literals: readonly SqlValue[];
}

/** Longer texts are parsed each time: they are bulk loads, which hardly repeat. */
const cutLengthMax = 64 * 1024;
const bytesMaxDefault = 8 * 1024 * 1024;

export class StatementCache<Value> {
  readonly #options: StatementCacheOptions<Value>;
  readonly #families: FamilyStore<Value>;

  constructor(options: StatementCacheOptions<Value>) {
    this.#options = options;
    this.#families = new FamilyStore(options.bytesMax ?? bytesMaxDefault);
  }

  get bytes(): number {
    return this.#families.bytes;
  }

  /**
   * Returns the statements of a message. Returns `undefined` if the parser is needed and absent. Throws an `SqlError` if the message cannot be
   * parsed or contains a statement that svc does not have.
   */
  recognize(
    message: string,
    parser: Parser | undefined,
  ): readonly RecognizedStatement[] | undefined {
    const cuts = message.length > cutLengthMax ? undefined : cutStatements(message);
    if (cuts === undefined) return parser?.statements(message).map(uncached(message));
    const found: RecognizedStatement[] = [];
    for (const cut of cuts) {
      const one = this.#recognizeCut(message, found.length, cut, parser);
      if (one === undefined) return parser?.statements(message).map(uncached(message));
      found.push(one);
    }
    return found;
  }

  /** Returns `undefined` if the statement must be parsed within its message. */
  #recognizeCut(
    message: string,
    index: number,
    cut: CutStatement,
    parser: Parser | undefined,
  ): RecognizedStatement | undefined {
    const { start, end, parametersMax } = cut;
    const family = this.#families.find(cut.family);
    if (family?.command !== undefined) {
      return { kind: 'command', statement: family.command, start, end, parametersMax };
    }
    const place = { kind: 'program', message, index, start, end, parametersMax } as const;
    if (family?.isWhole === true) {
      const whole = { ...cut, family: message.slice(start, end), literals: [], classes: '' };
      return { ...place, cut: whole, node: undefined };
    }
    if (family !== undefined) return { ...place, cut, node: undefined };
    const statement = parser && singleStatement(parser, cut.family);
    if (statement === undefined || hasStatement(statement)) return undefined;
    if (statement.kind === 'program') return { ...place, cut, node: statement.node };
    this.#families.add(cut.family, { command: statement });
    return { kind: 'command', statement, start, end, parametersMax };
  }

  /**
   * Returns the compiled statement. Returns `undefined` if the parser is needed and absent. An `SqlError` has the position of the cause in the
   * message.
   */
  prepare(
    program: RecognizedProgram,
    request: PrepareRequest,
    parser: Parser | undefined,
  ): PreparedStatement<Value> | undefined {
    const { cut } = program;
    if (cut === undefined) return parser && this.#compileOriginal(program, request, parser);
    const key = `${cut.classes}\0${request.parameterTypes.map((type) => type?.oid ?? 0).join()}\0${request.scope}`;
    const family = this.#families.find(cut.family);
    const cached = family && this.#cachedIn(family, key, cut, request);
    if (cached !== undefined) return { value: cached, literals: cut.literals.map(literalValue) };
    if (parser === undefined) return undefined;
    const value = this.#compileFamily(program, cut, request, parser);
    if (value === undefined) {
      const whole = this.#compileOriginal(program, request, parser);
      if (cut.literals.length > 0) this.#families.add(cut.family, { isWhole: true });
      return whole;
    }
    const pinned = this.#options.pinnedOf(value).map((index) => ({
      index,
      text: cut.literals[index]?.text,
    }));
    this.#families.addEntry(family ?? this.#families.add(cut.family, {}), { key, pinned, value });
    return { value, literals: cut.literals.map(literalValue) };
  }

  #cachedIn(
    family: Family<Value>,
    key: string,
    cut: CutStatement,
    request: PrepareRequest,
  ): Value | undefined {
    const entry = family.entries.find(
      (one) =>
        one.key === key &&
        one.pinned.every(({ index, text }) => cut.literals[index]?.text === text),
    );
    if (entry === undefined) return undefined;
    if (this.#options.isValid(entry.value, request.setting)) return entry.value;
    this.#families.deleteEntry(family, entry);
    return undefined;
  }

  /** Returns `undefined` if the family cannot be compiled, so that the statement itself decides. */
  #compileFamily(
    program: RecognizedProgram,
    cut: CutStatement,
    { parameterTypes, setting }: PrepareRequest,
    parser: Parser,
  ): Value | undefined {
    try {
      const node = program.node ?? programNode(singleStatement(parser, cut.family));
      if (node === undefined) return undefined;
      const { family: text, literals } = cut;
      return this.#options.compile({ node, text, parameterTypes, literals, setting });
    } catch {
      return undefined;
    }
  }

  /** Compiles the statement with its literals in their places, and so with the right positions. */
  #compileOriginal(
    { message, index, start, end }: RecognizedProgram,
    { parameterTypes, setting }: PrepareRequest,
    parser: Parser,
  ): PreparedStatement<Value> {
    let text = message;
    let node = programNode(parser.statements(message)[index]?.statement);
    if (node === undefined) {
      text = message.slice(start, end);
      node = programNode(parser.statements(text)[0]?.statement);
    }
    if (node === undefined) throw new Error('the message contains the statement');
    try {
      const value = this.#options.compile({ node, text, parameterTypes, literals: [], setting });
      return { value, literals: [] };
    } catch (error) {
      throw error instanceof RangeError ? tooDeep() : error;
    }
  }
}

function uncached(
  message: string,
): (placed: PlacedStatement, index: number) => RecognizedStatement {
  return ({ statement, start, end, parametersMax }, index) =>
    statement.kind === 'program'
      ? {
          kind: 'program',
          message,
          index,
          start,
          end,
          parametersMax,
          cut: undefined,
          node: statement.node,
        }
      : { kind: 'command', statement, start, end, parametersMax };
}

/** Returns the statement of a text, or `undefined` if the text has an error or several statements. */
function singleStatement(parser: Parser, text: string): SqlStatement | undefined {
  try {
    const [placed, ...others] = parser.statements(text);
    return others.length === 0 ? placed?.statement : undefined;
  } catch (error) {
    // The parser cannot be used again.
    if (error instanceof SqlError && error.trouble.sqlstate === '54001') throw error;
    return undefined;
  }
}

function programNode(statement: SqlStatement | undefined): Node | undefined {
  return statement?.kind === 'program' ? statement.node : undefined;
}

/** Statements with trees have positions, which count from the start of their message. */
function hasStatement({ kind }: SqlStatement): boolean {
  return kind === 'explain' || kind === 'prepare' || kind === 'declare' || kind === 'execute';
}
