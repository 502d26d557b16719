/** What is stored, and what programs bring along, is nowhere in `summary` and `detailed`; no key and no stored value is in a problem or in `full`. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import type { Answer } from '../support.ts';
import { openMemoryEngine } from '../support.ts';
import { column, literal, type Members, overEngine, read } from './support.ts';

/** In rows alone: no program ever says it. */
const stored = 'zqstoredsecretzq';
/** In programs alone. */
const said = 'zqsaidsecretzq';
const storedId = 8_070_605_040_302_010n;
const saidId = 7_171_717_171_717_171n;

/** A secret as it would be seen if somebody wrote it down, in whatever form bytes are written. */
function formsOf(secret: string | bigint): readonly string[] {
  const bytes = typeof secret === 'string' ? Buffer.from(secret) : bigEndian(secret);
  // Base64 at each offset that the bytes may have in a key.
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const from = Math.ceil((offset * 8) / 6) + 1;
    return text.slice(from, from + 6);
  });
  const decimals = [...bytes].slice(-6).join(',');
  const hex = bytes.toString('hex').slice(-10);
  return [
    `${secret}`,
    hex,
    hex.toUpperCase(),
    decimals,
    ...(typeof secret === 'string' ? base64 : []),
  ];
}

function bigEndian(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function expectNone(text: string, ...secrets: readonly (string | bigint)[]): void {
  expect(secrets.flatMap(formsOf).filter((form) => text.includes(form))).toEqual([]);
}

test('a secret is found in whatever form it is written', () => {
  for (const seen of [
    `"${said}"`,
    Buffer.from(`prefix${said}`).toString('hex'),
    ...['', '1', '12', '123'].map((more) => Buffer.from(`${more}${said}`).toString('base64')),
    JSON.stringify([...Buffer.from(said)]),
    `${saidId}`,
    JSON.stringify([...bigEndian(saidId)]),
  ]) {
    expect(() => expectNone(seen, said, saidId)).toThrow();
  }
});

const people = {
  name: 'people',
  columns: [
    { name: 'id', type: 'int64', nullable: false },
    { name: 'name', type: 'text', nullable: false },
    { name: 'mail', type: 'text', nullable: true },
    { name: 'boss', type: 'int64', nullable: true },
  ],
  primary_key: ['id'],
  indexes: [
    { name: 'by_mail', columns: ['mail'], unique: true },
    { name: 'by_name', columns: ['name', 'id'] },
  ],
  foreign_keys: [
    {
      name: 'boss_of',
      columns: ['boss'],
      ref_table: 'people',
      ref_columns: ['id'],
      on_delete: 'restrict',
    },
  ],
};

const ids = (id: bigint | number) => literal('int64', `${id}`);
const compare = (left: object, op: string, right: object) => ({ kind: 'binary', op, left, right });
const scan = { kind: 'scan', table: 'people', scope: 'p' };
const filter = (predicate: object) => ({ kind: 'filter', input: 's', predicate });
const filtered = (name: string, predicate: object) =>
  read(name, { s: scan, f: filter(predicate) }, 'f');

function rowsOf(rows: readonly (readonly (string | null)[])[]): Members {
  const columns = people.columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
  return { kind: 'rows', scope: 'r', columns, rows };
}
function create(rows: readonly (readonly (string | null)[])[]) {
  const relation = { nodes: { r: rowsOf(rows) }, root: { node: 'r', cardinality: 'many' } };
  return { kind: 'create', name: 'made', table: 'people', relation };
}
function change(kind: 'update' | 'delete', predicate: object, fields: readonly object[] = []) {
  const all = [{ as: 'id', expr: column('id') }, ...fields];
  const nodes = { s: scan, f: filter(predicate), k: { kind: 'project', input: 'f', fields: all } };
  const relation = { nodes, root: { node: 'k', cardinality: 'many' } };
  return { kind, name: 'changed', table: 'people', relation };
}

const likeSaid = {
  kind: 'text_match',
  value: column('name'),
  parts: [{ kind: 'any_many' }, { kind: 'literal', value: said }, { kind: 'any_many' }],
};
const branch = {
  kind: 'branch',
  branches: [{ when: likeSaid, then: literal('text', said) }],
  else: column('name'),
};

/** Programs that succeed, and those that fail after they have read and found something. */
const programs: Readonly<Record<string, readonly [object, number]>> = {
  'read by key': [filtered('q', compare(column('id'), 'eq', ids(saidId))), 200],
  'read by keys': [
    filtered(
      'q',
      compare(compare(column('id'), 'eq', ids(saidId)), 'or', compare(column('id'), 'eq', ids(3))),
    ),
    200,
  ],
  'read by a range': [filtered('q', compare(column('id'), 'gt', ids(saidId))), 200],
  'read by an index': [filtered('q', compare(column('mail'), 'eq', literal('text', said))), 200],
  'read by a range of an index': [
    filtered('q', compare(column('name'), 'gte', literal('text', said))),
    200,
  ],
  'match a text': [filtered('q', likeSaid), 200],
  'compute with literals': [filtered('q', compare(branch, 'ne', literal('text', said))), 200],
  'join with rows that came along': [
    {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: {
          s: scan,
          r: rowsOf([[`${saidId}`, said, said, null]]),
          j: {
            kind: 'join',
            join: 'inner',
            left: 's',
            right: 'r',
            on: compare(column('name'), 'eq', { kind: 'col', scope: 'r', column: 'name' }),
          },
          o: { kind: 'order', input: 'j', terms: [{ expr: column('id') }] },
          k: { kind: 'project', input: 'o', fields: [{ as: 'id', expr: column('id') }] },
        },
        root: { node: 'k', cardinality: 'many' },
      },
    },
    200,
  ],
  update: [
    change('update', compare(column('id'), 'eq', ids(saidId)), [
      { as: 'name', expr: literal('text', said) },
    ]),
    200,
  ],
  'create a table with a default': [
    {
      kind: 'create_table',
      name: 'c',
      table: {
        name: 'others',
        columns: [
          { name: 'id', type: 'int64', nullable: false },
          {
            name: 'extra',
            type: 'text',
            nullable: false,
            default: { kind: 'literal', value: said },
          },
        ],
        primary_key: ['id'],
      },
    },
    200,
  ],
  'create what is there': [create([[`${storedId}`, said, null, null]]), 422],
  'create a duplicate of an index': [create([[`${saidId}`, said, stored, null]]), 422],
  'refer to nobody': [create([[`${saidId}`, said, said, `${saidId - 1n}`]]), 422],
  'give two rows one mail': [
    change('update', compare(column('id'), 'lt', ids(saidId)), [
      { as: 'mail', expr: literal('text', said) },
    ]),
    422,
  ],
  'delete who is referred to': [change('delete', compare(column('id'), 'eq', ids(storedId))), 422],
  overflow: [
    filtered(
      'q',
      compare(
        compare(column('id'), 'mul', ids(saidId)),
        'gt',
        compare(column('id'), 'mul', ids(saidId)),
      ),
    ),
    422,
  ],
  'divide by nothing': [
    filtered('q', compare(compare(column('id'), 'div', ids(0)), 'eq', ids(saidId))),
    422,
  ],
};

describe('secrets are not told', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openMemoryEngine();
    const { ask, makeTable } = overEngine(engine);
    await makeTable(people);
    const rows = [...new Array(30).keys()].map((i) => [`${i}`, `${stored} ${i}`, null, null]);
    const boss = [`${storedId}`, stored, stored, null];
    const clerk = ['1000', `${stored} clerk`, null, `${storedId}`];
    const made = await ask(undefined, [create([...rows, boss, clerk])]);
    expect([made.status, made.text]).toEqual([200, made.text]);
  });
  afterAll(() => engine.close());

  for (const [name, [statement, status]] of Object.entries(programs)) {
    test(name, async () => {
      const { ask } = overEngine(engine);
      for (const query of ['', '?dry-run=true']) {
        for (const level of ['summary', 'detailed', 'full']) {
          const answer = await ask(level, [statement], { query });
          // A program that succeeds has changed something the second time.
          if (level === 'summary' && query === '') {
            expect([answer.status, answer.text]).toEqual([status, answer.text]);
          }
          expectNothing(answer, level);
        }
      }
    });
  }
});

function expectNothing(answer: Answer, level: string): void {
  const { _svc, ...rest } = answer.json as { readonly _svc: { readonly diagnostics: Members } };
  const isFull = level === 'full';
  const isProblem = answer.status !== 200;
  if (!isFull) expectNone(JSON.stringify(_svc), said, saidId, stored, storedId);
  else expectOnlyProgram(_svc.diagnostics);
  if (isProblem) expectNone(JSON.stringify(rest), stored, storedId);
}

/** The texts of the program are what the caller has sent; all else is as in `detailed`. */
function expectOnlyProgram(diagnostics: Members): void {
  const { submittedProgram: _, loweredProgram: __, ...rest } = diagnostics;
  expectNone(JSON.stringify(rest), said, saidId, stored, storedId);
}
