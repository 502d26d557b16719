/** Merge joins: sides that come in the order of their keys, and what the order of the result is good for. */

import { describe, expect, test } from 'bun:test';
import type { Node } from '#lir';
import {
  all,
  filter,
  full,
  join,
  op,
  order,
  project,
  query,
  scan,
  type Term,
  textOf,
} from '../support.ts';

const users = scan('user', 'u');
const posts = scan('post', 'p');
const notes = scan('note', 'n');
const byAuthor = op('eq', 'u.id', 'p.author');

function joined(on: Term, more: Record<string, Node> = {}, kind: 'inner' | 'left' = 'inner') {
  const j = join('u', 'p', on, kind);
  const fields = { id: 'u.id', name: 'u.name', seq: 'p.seq', title: 'p.title' };
  return query({ u: users, p: posts, j, x: project('j', fields, 'x'), ...more }, 'many');
}

const lineOf = (text: string, operator: string) =>
  text
    .split('\n')
    .find((line) => line.trim().startsWith(operator))
    ?.trim();

describe('both sides come in the order of their keys', () => {
  test('the side with one row of a key is put beside the other', () => {
    const text = textOf(joined(byAuthor, { o: order('x', 'x.title') }));
    expect(lineOf(text, 'merge')).toBe(
      'merge join | join inner | on id = author | held left | rows_of_key one',
    );
  });

  test('a left join streams its left side, whatever the right one has', () => {
    const text = textOf(joined(byAuthor, { o: order('x', 'x.title') }, 'left'));
    expect(lineOf(text, 'merge')).toBe(
      'merge join | join left | on id = author | held right | rows_of_key many',
    );
  });

  test('other conditions of an inner join are tested above', () => {
    const on = all(byAuthor, op('lt', 'u.age', 'p.rank'));
    const text = textOf(joined(on, { o: order('x', 'x.title') }));
    expect(text).toMatch(/filter \| predicate age < rank\n\s+merge join/);
  });

  test('those of a left join are left to a hash join', () => {
    const on = all(byAuthor, op('lt', 'u.age', 'p.rank'));
    expect(textOf(joined(on, { o: order('x', 'x.title') }, 'left'))).toContain('hash join');
  });

  test('unless merging is left out', () => {
    const text = textOf(joined(byAuthor, { o: order('x', 'x.title') }), {
      ...full,
      without: ['merge_join'],
    });
    expect(text).toContain('hash join');
  });
});

describe('an order of the result', () => {
  test('that the keys give needs no sort, by the name of either side', () => {
    expect(textOf(joined(byAuthor, { o: order('x', 'x.id', 'x.seq') }))).not.toContain('sort');
    expect(
      textOf(
        query(
          { u: users, p: posts, j: join('u', 'p', byAuthor), o: order('j', 'p.author', 'p.seq') },
          'many',
        ),
      ),
    ).not.toContain('sort');
  });

  test('in which pairs tie needs one', () => {
    const nodes = {
      u: users,
      p: posts,
      j: join('u', 'p', byAuthor, 'left'),
      x: project('j', { id: 'u.id', seq: 'p.seq' }, 'x'),
      o: order('x', 'x.id', 'x.seq'),
    };
    expect(textOf(query(nodes, 'many'))).toMatch(/sort[^\n]*\n\s+merge join/);
  });

  test('backwards needs one', () => {
    expect(textOf(joined(byAuthor, { o: order('x', '-x.id', 'x.seq') }))).toContain('sort');
  });

  test('is that of the next merge', () => {
    const nodes = {
      u: users,
      p: posts,
      n: notes,
      j: join('u', 'n', op('eq', 'u.id', 'n.id')),
      k: join('j', 'p', op('eq', 'n.id', 'p.author')),
      x: project('k', { id: 'u.id', body: 'n.body', seq: 'p.seq' }, 'x'),
      o: order('x', 'x.id', 'x.seq'),
    };
    const text = textOf(query(nodes, 'many'));
    expect(text.match(/merge join/g)?.length).toBe(2);
    expect(text).not.toContain('sort');
  });
});

test('keys that are not the first of an order cannot be merged by', () => {
  const on = op('eq', 'u.id', 'p.seq');
  expect(textOf(joined(on, { o: order('x', 'x.title') }))).toContain('hash join');
});

test('a pinned column before the key does not stand in the way', () => {
  const nodes = {
    u: users,
    p: posts,
    f: filter('p', op('eq', 'p.author', 3)),
    j: join('u', 'f', op('eq', 'u.id', 'p.seq')),
    x: project('j', { id: 'u.id', seq: 'p.seq', title: 'p.title' }, 'x'),
    o: order('x', 'x.id'),
  };
  const text = textOf(query(nodes, 'many'), { ...full, accessPaths: 'scan_only' });
  expect(lineOf(text, 'merge')).toBe(
    'merge join | join inner | on id = seq | held right | rows_of_key one',
  );
});
