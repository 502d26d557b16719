/** A small part of `npm run migrations-under-load`: real requests to a real process, every answer compared with a model. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedText } from '../../simulator/plants/load.ts';
import { plants } from './plants.ts';
import { migrateUnderLoad } from './run.ts';
import { Seats } from './seats.ts';

const root = join(import.meta.dir, '..', '..', '..');

test('seven transitions while six clients write and read', async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const options = { rows: 1800, clients: 6, seed: 3, window: 80, print };
  const { answers, rows } = await migrateUnderLoad(options);
  expect(answers).toBeGreaterThan(600);
  expect(rows).toBeGreaterThan(1800);
  const ends = lines.flatMap((line) => /^(.*?) +(ready|failed) /.exec(line)?.slice(1, 3) ?? []);
  expect(ends).toEqual(expect.arrayContaining(['unique build that fails', 'failed']));
  expect(ends.filter((word) => word === 'failed').length).toBeGreaterThanOrEqual(3);
  expect(ends.filter((word) => word === 'ready')).toHaveLength(4);
}, 120_000);

for (const { name, changes } of plants) {
  test(`a wrong rule that it must notice fits: ${name}`, () => {
    for (const change of changes) {
      const text = readFileSync(join(root, change.file), 'utf8');
      expect(changedText(text, change)).toContain(change.to);
    }
  });
}

test('a seat that two rows have', () => {
  const seats = new Seats(1);
  const askedAt = seats.tick();
  seats.taken(1, 0, 10, askedAt);
  seats.taken(2, 0, 20, askedAt);
  expect(seats.check()).toEqual(['seat 0 was given to row 20 while row 10 had it']);
});

test('a seat that was refused while nobody had it, and looked free while somebody did', () => {
  const seats = new Seats(1);
  seats.refused(1, 0, seats.tick());
  const hold = seats.taken(2, 0, 20, seats.tick());
  seats.refused(1, 0, seats.tick());
  seats.seen(1, 0, undefined, seats.tick());
  hold.leavingAt = seats.tick();
  hold.leftAt = seats.tick();
  seats.seen(1, 0, 20, seats.tick());
  expect(seats.check()).toEqual([
    'client 1 was refused seat 0, which nobody had',
    'seat 0 looked free while row 20 had it',
    'seat 0 showed row 20, which did not have it then',
  ]);
});
