/** The section `policies` when a file takes in what a database has, and when its tables and columns are renamed. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Catalog, declareCatalog, emptyCatalog, isSamePolicies, policyHash } from '#catalog';
import {
  type DesiredPolicies,
  editSchema,
  mergePolicies,
  parseSchema,
  renderSchema,
  renderSection,
  withIds,
} from '#schema';
import { plainNaming, schemaOf } from '../arbitrary.ts';
import { policiesOf } from '../file/policies.ts';

const tables = `tables:
  - id: 1
    name: note
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: owner_id, type: text }
  - id: 2
    name: share
    columns:
      - { id: 1, name: note_id, type: int64, pk: true }
      - { id: 2, name: user_id, type: text }
`;

const section = `
# who may see what
policies:
  claims: { sub: text } # of the token
  tables:
    "note": # the notes
      read:
        nodes:
          s: { kind: scan, table: share, scope: owner_id }
          m:
            kind: filter
            input: s
            # user_id is not the owner_id
            predicate: {kind: binary, op: eq, left: {kind: col, scope: owner_id, column: 'user_id'}, right: {kind: claim, name: sub}}
        where: { kind: exists, node: m }
      create:
        kind: binary
        op: eq
        left: { kind: col, scope: row, column: owner_id }
        right: { kind: claim, name: sub }
    share: { read: all }
# end
`;

function parsed(text: string) {
  const found = parseSchema(text, 'test');
  if (found.kind === 'broken') throw new Error(found.errors.map((it) => it.message).join());
  return found;
}

const none = { tables: new Map(), columns: new Map() };

/** `text` after an edit to the schema and the policies of `wanted`. */
function edited(text: string, wanted: string) {
  const { catalog: before, policies } = parsed(text);
  const { catalog: after, policies: wish } = parsed(wanted);
  const sides = { before: policies, after: wish };
  const result = editSchema(text, { before, after, renumbering: none, policies: sides });
  const again = parsed(result.text);
  expect(isSame(again.policies, wish)).toBe(true);
  return result;
}

function isSame(left: DesiredPolicies, right: DesiredPolicies): boolean {
  return typeof left === 'object' && typeof right === 'object'
    ? isSamePolicies(left, right)
    : left === right;
}

const renamed = (text: string) =>
  text
    .replace('name: note\n', 'name: memo\n')
    .replace('name: owner_id,', 'name: author,')
    .replace('name: user_id,', 'name: reader,')
    .replace('"note":', 'memo:')
    .replace('scope: row, column: owner_id', 'scope: row, column: author')
    .replace("'user_id'", 'reader');

describe('a file that is edited', () => {
  test.each([
    ['after the tables', (text: string) => text],
    ['with Windows line ends', (text: string) => text.replaceAll('\n', '\r\n')],
    ['with a byte order mark', (text: string) => `\ufeff${text}`],
  ])('renames follow, and nothing else changes: %s', (_name, form) => {
    const { text, isInPlace } = edited(form(tables + section), renamed(tables + section));
    expect(isInPlace).toBe(true);
    expect(text).toBe(form(renamed(tables + section)));
  });

  test('a section before the tables', () => {
    const before = section.trimStart() + tables;
    expect(edited(before, renamed(before)).text).toBe(renamed(before));
  });

  test('a section is added at the end', () => {
    const { text, isInPlace } = edited(`${tables}# mine\n`, tables + section);
    expect(isInPlace).toBe(true);
    expect(text).toStartWith(`${tables}# mine\npolicies:\n  claims: { sub: text }\n  tables:\n`);
  });

  test('a section is added together with a table', () => {
    const [note = '', share = ''] = tables.split('  - id: 2\n');
    const { text, isInPlace } = edited(note, tables + section);
    expect(isInPlace).toBe(true);
    expect(text.indexOf('name: share')).toBeLessThan(text.indexOf('policies:'));
    expect(share).not.toBe('');
  });

  test('another section replaces the former one', () => {
    const other = 'policies:\n  tables:\n    note:\n      read: all\n';
    const { text, isInPlace } = edited(tables + section, tables + other);
    expect(isInPlace).toBe(true);
    expect(text).toBe(`${tables}\n# who may see what\n${other}# end\n`);
    expect(edited(`${tables}policies: none # no more\n`, tables + other).text).toBe(tables + other);
    expect(edited(tables + other, `${tables}policies: none\n`).text).toBe(
      `${tables}policies: none\n`,
    );
    expect(edited(tables + other, tables).text).toBe(tables);
  });

  test('a file in braces is rendered again', () => {
    const flow = '{ tables: [], policies: none }\n';
    const wish = 'tables: []\npolicies: { tables: {} }\n';
    const { text, isInPlace } = edited(flow, wish);
    expect([text, isInPlace]).toEqual(['tables: []\npolicies:\n  tables: {}\n', false]);
  });
});

test('any policies follow any renames', () => {
  const databases = schemaOf(plainNaming)
    .map(declareCatalog)
    .filter((catalog) => catalog.tables.length > 0)
    .chain((catalog) => policiesOf(catalog).map((policies) => ({ catalog, policies })));
  fc.assert(
    fc.property(databases, ({ catalog, policies }) => {
      const text = renderSchema(catalog) + renderSection(catalog, policies);
      const after = withOtherNames(catalog);
      const sides = { before: policies, after: policies };
      const edit = { before: catalog, after, renumbering: none, policies: sides };
      const result = editSchema(text, edit);
      expect(result.isInPlace).toBe(true);
      expect(parsed(result.text).policies).toEqual(policies);
    }),
    { numRuns: 200 },
  );
});

/** Names are exchanged, so that a name means another object afterwards. */
function withOtherNames(catalog: Catalog): Catalog {
  const names = catalog.tables.map(({ name }) => name);
  return {
    ...catalog,
    tables: catalog.tables.map((table, i) => ({
      ...table,
      name: names[(i + 1) % names.length] as string,
      columns: table.columns.map((column, at) => ({
        ...column,
        name: table.columns[(at + 1) % table.columns.length]?.name as string,
      })),
      indexes: [],
      foreignKeys: [],
    })),
  };
}

describe('a merge', () => {
  const schema = parsed(tables);
  const policies = (text: string) => {
    const found = parsed(tables + text).policies;
    if (typeof found !== 'object') throw new Error('no policies');
    return found;
  };
  const one = policies('policies: { tables: { note: { read: all } } }\n');
  const two = policies('policies: { tables: { share: { read: all } } }\n');
  const three = policies('policies: { tables: {} }\n');
  const hashOf = (of: typeof one | undefined) =>
    policyHash(of === undefined ? schema.catalog : { ...schema.catalog, policies: of });
  const merged = (
    file: DesiredPolicies,
    theirs: typeof one | undefined,
    accepted: readonly (typeof one | undefined)[],
  ) =>
    mergePolicies({
      base: schema.catalog,
      file: { catalog: schema.catalog, policies: file },
      theirs: { catalog: schema.catalog, policies: theirs },
      after: schema.catalog,
      renumbering: none,
      wasAccepted: (hash) => accepted.map(hashOf).includes(hash),
    });
  const rows: [
    string,
    DesiredPolicies,
    typeof one | undefined,
    (typeof one | undefined)[],
    DesiredPolicies,
  ][] = [
    ['neither has any', 'absent', undefined, [], 'absent'],
    ['only the database has some', 'absent', one, [], one],
    ['only the file has some', one, undefined, [], one],
    ['the file has some, and the database lost them', one, undefined, [one], one],
    ['both have the same', one, one, [], one],
    ['the database changed them', one, two, [one], two],
    ['the file changed them', two, one, [one], two],
    ['the file has an earlier state', one, two, [one, two], two],
    ['the file removes those of the database', 'none', one, [one], 'none'],
    ['the file has none, and the database got some', 'none', one, [undefined], one],
  ];
  test.each(rows)('%s', (_name, file, theirs, accepted, expected) => {
    expect(merged(file, theirs, accepted)).toEqual({ policies: expected });
  });

  test('both changed them', () => {
    const conflict = 'policies: changed in the database and in the file';
    expect(merged(one, two, [three])).toEqual({ policies: one, conflict });
    expect(merged('none', two, [])).toEqual({ policies: 'none', conflict });
  });

  test('policies that read what the other side deleted', () => {
    const { catalog } = parsed(tables.split('  - id: 2\n    name: share')[0] as string);
    const found = mergePolicies({
      base: schema.catalog,
      file: { catalog: schema.catalog, policies: two },
      theirs: { catalog, policies: undefined },
      after: catalog,
      renumbering: none,
      wasAccepted: () => false,
    });
    expect(found.conflict).toBe('policies: they read a table or column that was deleted');
  });

  test('a rename changes the hash, but not the policies', () => {
    const before = parsed(tables + section);
    const after = parsed(renamed(tables + section));
    if (typeof before.policies !== 'object') throw new Error('no policies');
    const accepted = policyHash({ ...before.catalog, policies: before.policies });
    const found = mergePolicies({
      base: before.catalog,
      file: after,
      theirs: { catalog: before.catalog, policies: two },
      after: after.catalog,
      renumbering: none,
      wasAccepted: (hash) => hash === accepted,
    });
    expect(found).toEqual({ policies: two });
  });

  test('policies of a new table get its new id', () => {
    const renumbering = { tables: new Map([[2, 5]]), columns: new Map([[1, new Map([[2, 7]])]]) };
    const { catalog, policies: of } = parsed(tables + section);
    const found = mergePolicies({
      base: emptyCatalog,
      file: { catalog, policies: of },
      theirs: { catalog: emptyCatalog, policies: undefined },
      after: withIds(catalog, renumbering),
      renumbering,
      wasAccepted: () => false,
    });
    expect(found.policies).toMatchObject({
      tables: [
        {
          table: 1,
          read: { nodes: { s: { kind: 'scan', table: 5 } } },
          create: { where: { left: { column: 7 } } },
        },
        { table: 5 },
      ],
    });
  });
});
