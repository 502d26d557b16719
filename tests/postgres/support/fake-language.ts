/** A tiny language in place of SQL, so that sessions are tested without the compiler. Its programs read and write the table `register`. */

import type { SqlLanguage } from '../../../src/postgres/run/language.ts';
import {
  type Compiled,
  type PlacedStatement,
  type SqlColumn,
  type SqlStatement,
  type StatementValues,
  sqlError,
  sqlTypes,
} from '../../../src/sql/index.ts';
import { checkProgram } from '../../../src/wire/index.ts';
import { all, get, put, set } from '../../engine/session/support.ts';

const column = (name: string): SqlColumn => ({
  name,
  type: sqlTypes.int4,
  shape: { kind: 'scalar' },
});
const columns = [column('key'), column('value')];

/** `get 1`, `all`, `put 1 10`, `set 1 11`, `put_shown 1 10`; a number may be `$1`. */
const programPattern = /^(get|all|put|set|put_shown|fail)\b((?:\s+(?:\$?-?\d+))*)$/;

const parser = {
  statements: (text: string) => {
    const placed: PlacedStatement[] = [];
    let start = 0;
    for (const part of text.split(';')) {
      const end = start + part.length;
      if (part.trim() !== '') placed.push(placedOf(part.trim(), start, end));
      start = end + 1;
    }
    return placed;
  },
};

export const fakeLanguage: SqlLanguage = {
  parser: () => parser,
  load: async () => parser,
  compile: ({ node }) => compiled(node as unknown as { readonly fake: string }),
};

function placedOf(text: string, start: number, end: number): PlacedStatement {
  const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  return { statement: statementOf(text), start, end, parametersMax: Math.max(0, ...numbers) };
}

const commands: readonly (readonly [RegExp, (found: readonly string[]) => SqlStatement])[] = [
  [/^begin( ro)?$/, ([, ro]) => ({ kind: 'begin', modes: ro ? { isReadOnly: true } : {} })],
  [
    /^(commit|rollback)( chain)?$/,
    ([, kind, chain]) => ({ kind: kind as 'commit', chains: chain !== undefined }),
  ],
  [
    /^(savepoint|release|rollback_to) (\w+)$/,
    ([, kind, name]) => ({ kind: kind as 'savepoint', name: name as string }),
  ],
  [
    /^var (local )?(\S+) (.+)$/,
    ([, local, name, value]) => ({
      kind: 'set',
      name: name as string,
      values: [value as string],
      isLocal: local !== undefined,
    }),
  ],
  [/^(show|reset) (\S+)$/, ([, kind, name]) => ({ kind: kind as 'show', name: name as string })],
  [
    /^declare (\w+) (.+)$/,
    ([, name, rest]) => ({
      kind: 'declare',
      name: name as string,
      isHold: false,
      isScroll: false,
      isBinary: false,
      statement: statementOf(rest as string),
    }),
  ],
  [
    /^(fetch|move) (\d+) (\w+)$/,
    ([, kind, count, name]) => ({
      kind: 'fetch',
      name: name as string,
      count: Number(count),
      isMove: kind === 'move',
    }),
  ],
  [/^close (\w+)$/, ([, name]) => ({ kind: 'close', name: name as string })],
  [
    /^prepare (\w+) (.+)$/,
    ([, name, rest]) => ({
      kind: 'prepare',
      name: name as string,
      types: [],
      statement: statementOf(rest as string),
    }),
  ],
  [/^deallocate (\w+)$/, ([, name]) => ({ kind: 'deallocate', name: name as string })],
  [/^discard$/, () => ({ kind: 'discard', what: 'all' })],
  [
    /^explain (\w+) (.+)$/,
    ([, format, rest]) => ({
      kind: 'explain',
      format: format as 'pir',
      isAnalyze: false,
      statement: statementOf(rest as string),
    }),
  ],
];

function statementOf(text: string): SqlStatement {
  for (const [pattern, make] of commands) {
    const found = pattern.exec(text);
    if (found !== null) return make(found as unknown as readonly string[]);
  }
  if (!programPattern.test(text))
    throw sqlError('42601', `syntax error at "${text}"`, { position: 1 });
  return { kind: 'program', node: { fake: text } as never };
}

function compiled({ fake }: { readonly fake: string }): Compiled {
  const [, verb = '', rest = ''] = programPattern.exec(fake) as RegExpExecArray;
  const words = rest
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (verb === 'fail') throw sqlError('42703', 'column "x" does not exist', { position: 6 });
  const numbers = ({ parameters }: StatementValues) =>
    words.map((word) =>
      Number(word.startsWith('$') ? parameters[Number(word.slice(1)) - 1] : word),
    );
  const isRead = verb === 'get' || verb === 'all';
  const parameters = Math.max(
    0,
    ...words.map((word) => Number(word.startsWith('$') ? word.slice(1) : 0)),
  );
  const isShown = isRead || verb === 'put_shown';
  return {
    tag: isRead ? 'SELECT' : verb === 'set' ? 'UPDATE' : 'INSERT',
    ...(isRead ? {} : { counted: [verb === 'set' ? 'set' : 'put'] }),
    isCounted: true,
    isReadOnly: isRead,
    isCatalogChange: false,
    parameters: new Array(parameters).fill(sqlTypes.int8),
    columns: isShown ? columns : undefined,
    pinned: [],
    effects: [],
    variant: () => '',
    instantiate: (values) => {
      const [key = 0, value = 0] = numbers(values);
      const statement =
        verb === 'get'
          ? get(key)
          : verb === 'all'
            ? all()
            : verb === 'set'
              ? set(key, value)
              : put(key, value);
      const result = verb === 'get' ? 'got' : verb === 'all' ? 'all' : 'put';
      const program = checkProgram({ statements: [statement], ...(isShown ? { result } : {}) });
      return { program, places: new Map() };
    },
  };
}
