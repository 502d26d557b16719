/** The order of renames: what comes first is what it always was, and thousands of them take no squared time. */

import { expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { emptyCatalog } from '#catalog';
import { renameSteps } from '../../../src/schema/diff/renames.ts';

/** The new names in order, of tables that are renamed as the entries say; a detour begins with `~`. */
function movesOf(renames: readonly (readonly [string, string])[], others: readonly string[] = []) {
  const tables = renames.map(([from, to], id) => ({
    before: { id, name: from },
    after: { name: to },
    columns: [],
  }));
  const named = others.map((name) => ({ name, columns: [], indexes: [], foreignKeys: [] }));
  const current = { ...emptyCatalog, tables: named };
  const steps = renameSteps({ current, desired: emptyCatalog, tables } as never);
  return steps.map(({ action }) => (action as { readonly to: string }).to);
}

/** Looks through all that wait, for each move. */
function slowly(renames: readonly (readonly [string, string])[]): string[] {
  const key = ([from, to]: readonly [string, string]) => `rename table ${from} -> ${to}`;
  const waiting = [...renames].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const held = new Set(waiting.map(([from]) => from));
  const moves: string[] = [];
  let detours = 0;
  while (waiting.length > 0) {
    const at = waiting.findIndex(([, to]) => !held.has(to));
    const [from, to] = (at < 0 ? waiting.at(-1) : waiting.splice(at, 1)[0]) as [string, string];
    held.delete(from);
    moves.push(at < 0 ? `~${++detours}` : to);
  }
  return moves;
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

test('the first that is free by summary, and a detour of the last where none is', () => {
  const targets = fc.shuffledSubarray([...names], { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(targets, targets, (from, to) => {
      const renames = from.flatMap((name, i) =>
        name === to[i] ? [] : [[name, to[i] as string] as const],
      );
      const stays = new Set(from.filter((name, i) => name === to[i]));
      fc.pre(renames.every(([, target]) => !stays.has(target)));
      expect(movesOf(renames)).toEqual(slowly(renames));
    }),
  );
});

test('a detour has a name that is within no other', () => {
  const swap = [
    ['a', 'b'],
    ['b', 'a'],
  ] as const;
  expect(movesOf(swap)).toEqual(['~1', 'b', 'a']);
  expect(movesOf(swap, ['x~12', '~3y~4', '~05'])[0]).toBe('~2');
  expect(movesOf(swap, ['x~12', '~2', '~34'])[0]).toBe('~4');
});

const many = Array.from({ length: 1_000 }, (_, i) => `t${String(i).padStart(4, '0')}`);

test.each([
  ['a chain', many.slice(1).map((to, i) => [many[i] as string, to] as const)],
  ['swaps', many.map((from, i) => [from, many[i ^ 1] as string] as const)],
])('%s of a thousand is ordered with a few looks for each', (_name, renames) => {
  const looks = [
    spyOn(Map.prototype, 'has'),
    spyOn(Set.prototype, 'has'),
    spyOn(String.prototype, 'includes'),
  ];
  try {
    movesOf(renames, many);
    const count = looks.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    expect(count).toBeLessThan(10_000);
  } finally {
    for (const look of looks) look.mockRestore();
  }
});
