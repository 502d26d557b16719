/** The cache of recognized and compiled statements, with a compiler that records its input. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { emptyCatalog } from '#catalog';
import {
  type CompileInput,
  loadParser,
  type Parser,
  type PrepareRequest,
  type RecognizedProgram,
  SqlError,
  StatementCache,
  sqlError,
  sqlTypes,
} from '#sql';

interface Value {
  readonly text: string;
  readonly literals: readonly string[];
  pinned: readonly number[];
  isStale: boolean;
}

let parser: Parser;
let compiled: CompileInput[];
let compile: (input: CompileInput) => Value;
let cache: StatementCache<Value>;

function recorded({ text, literals }: CompileInput, pinned: readonly number[] = []): Value {
  return { text, literals: literals.map((one) => one.text), pinned, isStale: false };
}

function newCache(bytesMax?: number): StatementCache<Value> {
  return new StatementCache<Value>({
    compile: (input) => {
      compiled.push(input);
      return compile(input);
    },
    pinnedOf: ({ pinned }) => pinned,
    isValid: ({ isStale }) => !isStale,
    bytesMax,
  });
}

beforeEach(async () => {
  parser = await loadParser();
  compiled = [];
  compile = (input) => recorded(input);
  cache = newCache();
});

const request: PrepareRequest = {
  parameterTypes: [],
  setting: {
    catalog: emptyCatalog,
    mode: 'direct',
    searchPath: ['public'],
    timeZone: 'UTC',
    unixMs: 'timestamptz',
  },
  scope: '',
};

function programOf(text: string, using: Parser | undefined = parser): RecognizedProgram {
  const [statement] = cache.recognize(text, using) ?? [];
  if (statement?.kind !== 'program') throw new Error('not a program');
  return statement;
}

function prepare(text: string, more: Partial<PrepareRequest> = {}) {
  const prepared = cache.prepare(programOf(text), { ...request, ...more }, parser);
  if (prepared === undefined) throw new Error('not prepared');
  return prepared;
}

function errorOf(action: () => unknown): SqlError {
  try {
    action();
  } catch (error) {
    if (error instanceof SqlError) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('hits', () => {
  test('a statement with other literals is not compiled again', () => {
    const first = prepare("select a from t where b = 1 and c = 'x'");
    const second = prepare("select a from t where b = 2 and c = 'y'");
    expect(compiled).toHaveLength(1);
    expect(second.value).toBe(first.value);
    expect(first.literals).toEqual([1, 'x']);
    expect(second.literals).toEqual([2, 'y']);
    expect(compiled[0]?.text).toBe('select a from t where b = $1 and c = $2');
  });

  test('a hit needs no parser', () => {
    prepare('select 1');
    const program = programOf('select 2', undefined);
    expect(cache.prepare(program, request, undefined)?.literals).toEqual([2]);
  });

  test('without a parser, a new statement is not recognized', () => {
    expect(cache.recognize('select 1', undefined)).toBeUndefined();
    expect(cache.recognize('begin', undefined)).toBeUndefined();
  });

  test('commands are recognized without a parser the second time', () => {
    cache.recognize('begin; commit', parser);
    expect(cache.recognize('begin; commit', undefined)).toMatchObject([
      { kind: 'command', statement: { kind: 'begin' }, start: 0, end: 5 },
      { kind: 'command', statement: { kind: 'commit' }, start: 7, end: 13 },
    ]);
  });

  test('numbers become numbers, and integers beyond 2^53 keep all digits', () => {
    expect(prepare('select 1.5, 9007199254740993, 7').literals).toEqual([
      1.5,
      9007199254740993n,
      7,
    ]);
  });
});

describe('a statement is compiled for each', () => {
  test('class of its literals', () => {
    prepare('select 1');
    prepare('select 3000000000');
    prepare('select 1.5');
    prepare("select 'x'");
    expect(compiled).toHaveLength(4);
  });

  test('list of parameter types', () => {
    prepare('select $1', { parameterTypes: [sqlTypes.int4] });
    prepare('select $1', { parameterTypes: [undefined] });
    prepare('select $1', { parameterTypes: [sqlTypes.int4] });
    expect(compiled).toHaveLength(2);
  });

  test('scope', () => {
    prepare('select 1', { scope: 'a' });
    prepare('select 1', { scope: 'b' });
    expect(compiled).toHaveLength(2);
  });

  test('value of its pinned literals', () => {
    compile = (input) => recorded(input, [1]);
    prepare('select 1, 2');
    prepare('select 7, 2');
    expect(compiled).toHaveLength(1);
    prepare('select 1, 3');
    expect(compiled).toHaveLength(2);
    prepare('select 0, 2');
    prepare('select 0, 3');
    expect(compiled).toHaveLength(2);
  });

  test('state of its tables', () => {
    prepare('select 1').value.isStale = true;
    prepare('select 2');
    prepare('select 3');
    expect(compiled).toHaveLength(2);
  });
});

describe('errors', () => {
  test('a family that cannot be compiled is compiled with its literals', () => {
    compile = (input) => {
      if (input.literals.length > 0) throw sqlError('42601', 'a constant is required');
      return recorded(input);
    };
    expect(prepare('select f(1)')).toMatchObject({ value: { text: 'select f(1)' }, literals: [] });
    expect(compiled.map(({ text }) => text)).toEqual(['select f($1)', 'select f(1)']);
    prepare('select f(1)');
    prepare('select f(1)');
    expect(compiled).toHaveLength(3);
    prepare('select f(2)');
    expect(compiled.at(-1)?.text).toBe('select f(2)');
  });

  test('an error has its position in the message', () => {
    compile = ({ text }) => {
      throw sqlError('42703', 'no column', { position: text.indexOf('nope') + 1 });
    };
    const message = "select 'long literal', 1; select 2, nope";
    const [, second] = cache.recognize(message, parser) ?? [];
    if (second?.kind !== 'program') throw new Error('not a program');
    expect(errorOf(() => cache.prepare(second, request, parser)).trouble.position).toBe(
      message.indexOf('nope') + 1,
    );
  });

  test('a syntax error has its position in the message', () => {
    const message = "select 'long literal', 1; select 2 frm t x";
    const { sqlstate, position } = errorOf(() => cache.recognize(message, parser)).trouble;
    expect({ sqlstate, position }).toEqual({
      sqlstate: '42601',
      position: message.indexOf('t x') + 1,
    });
  });

  test('an unterminated literal is an error of the parser', () => {
    expect(errorOf(() => cache.recognize("select 'a", parser)).trouble.message).toBe(
      'unterminated quoted string at or near "\'a"',
    );
  });

  test('a failed statement is not cached', () => {
    compile = () => {
      throw sqlError('42P01', 'relation "t" does not exist');
    };
    expect(() => prepare('select a from t where b = 1')).toThrow('does not exist');
    compile = (input) => recorded(input);
    expect(prepare('select a from t where b = 2').value.text).toContain('$1');
  });

  test('a compiler that ends its stack answers 54001', () => {
    compile = () => {
      throw new RangeError('Maximum call stack size exceeded.');
    };
    expect(errorOf(() => prepare('select 1')).trouble.sqlstate).toBe('54001');
  });

  test('a text that ends the stack of the parser answers 54001', () => {
    const text = `select ${'1+'.repeat(30_000)}1`;
    expect(errorOf(() => cache.recognize(text, parser)).trouble.sqlstate).toBe('54001');
  });
});

test('statements that contain others keep the positions of their message', () => {
  const message = 'select 1; explain select nope';
  for (const _ of [1, 2]) {
    const [, explain] = cache.recognize(message, parser) ?? [];
    if (explain?.kind !== 'command' || explain.statement.kind !== 'explain') throw new Error('no');
    expect(JSON.stringify(explain.statement)).toContain(`"location":${message.indexOf('nope')}`);
  }
});

test('a message of an empty statement has none', () => {
  expect(cache.recognize(' ; -- x', parser)).toEqual([]);
});

test('a bulk load is not cached', () => {
  const text = `insert into t values ${Array.from({ length: 10_000 }, (_, i) => `(${i})`).join()}`;
  expect(prepare(text)).toMatchObject({ literals: [] });
  expect(cache.bytes).toBe(0);
});

test('the cache keeps its limit, and the families that are used', () => {
  cache = newCache(100_000);
  for (let i = 0; i < 200; i++) {
    prepare(`select a${i}`);
    prepare('select 1');
    expect(cache.bytes).toBeLessThanOrEqual(100_000);
  }
  expect(compiled.filter(({ text }) => text === 'select $1')).toHaveLength(1);
  prepare('select a0');
  expect(compiled.filter(({ text }) => text === 'select a0')).toHaveLength(2);
});
