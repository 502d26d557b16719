/** The file of the audit log: its size, its former files, and incomplete lines. */

import { describe, expect, test } from 'bun:test';
import { type AuditFiles, RotatingFile } from '#authentication';
import { seededRandom } from '../../support/seeded-random.ts';

/** Files in memory. `room` is how many bytes the disk still takes, and `chunk` how many one call writes. */
function diskOf(start: Readonly<Record<string, string>> = {}) {
  const files = new Map<string, { text: string }>(
    Object.entries(start).map(([path, text]) => [path, { text }]),
  );
  const state = { room: Number.POSITIVE_INFINITY, chunk: Number.POSITIVE_INFINITY, open: 0 };
  const disk: AuditFiles = {
    exists: (path) => files.has(path),
    rename: (from, to) => {
      files.set(to, files.get(from) as { text: string });
      files.delete(from);
    },
    open: (path) => {
      const file = files.get(path) ?? { text: '' };
      files.set(path, file);
      state.open++;
      return {
        size: file.text.length,
        isTorn: file.text !== '' && !file.text.endsWith('\n'),
        write: (bytes) => {
          const count = Math.min(bytes.length, state.room, state.chunk);
          state.room -= count;
          file.text += Buffer.from(bytes.subarray(0, count)).toString();
          return count;
        },
        sync: () => {},
        close: () => void state.open--,
      };
    },
  };
  const texts = () =>
    Object.fromEntries([...files].map(([path, { text }]) => [path, text] as const).sort());
  return { disk, state, texts };
}

test('lines are appended to a file that exists', () => {
  const { disk, texts } = diskOf({ audit: 'a\n' });
  const file = new RotatingFile('audit', disk);
  file.append('b\n');
  file.append('c\nd\n');
  expect(texts()).toEqual({ audit: 'a\nb\nc\nd\n' });
});

test('a full file gets a suffix, and the oldest of ten files is removed', () => {
  const { disk, texts, state } = diskOf();
  const file = new RotatingFile('audit', disk, 4);
  for (let i = 0; i < 12; i++) file.append(`${String(i).padStart(3, '0')}\n`);
  const suffixes = Object.entries(texts()).map(([path, text]) => `${path}=${text.trim()}`);
  expect(suffixes).toEqual([
    'audit=011',
    ...Array.from({ length: 9 }, (_, i) => `audit.${i + 1}=${String(10 - i).padStart(3, '0')}`),
  ]);
  expect(state.open).toBe(1);
});

test('a line that is larger than a file has its own', () => {
  const { disk, texts } = diskOf();
  const file = new RotatingFile('audit', disk, 4);
  file.append('a\n');
  file.append('long line\n');
  file.append('b\n');
  expect(texts()).toEqual({ audit: 'b\n', 'audit.1': 'long line\n', 'audit.2': 'a\n' });
});

test('the size of a file counts in bytes, also after it was opened again', () => {
  const { disk, texts } = diskOf({ audit: 'ab\n' });
  const file = new RotatingFile('audit', disk, 6);
  file.reopen();
  file.append('ä\n');
  expect(Object.keys(texts())).toEqual(['audit']);
  file.append('c\n');
  expect(texts()).toEqual({ audit: 'c\n', 'audit.1': 'ab\nä\n' });
});

test('a file that was renamed by another process is created again on reopen', () => {
  const { disk, texts, state } = diskOf();
  const file = new RotatingFile('audit', disk);
  file.append('a\n');
  disk.rename('audit', 'moved');
  file.append('b\n');
  file.reopen();
  file.append('c\n');
  expect(texts()).toEqual({ audit: 'c\n', moved: 'a\nb\n' });
  file.close();
  expect(state.open).toBe(0);
});

test('a file that cannot be opened again remains in use', () => {
  const { disk, texts } = diskOf();
  const open = disk.open.bind(disk);
  let isRefused = false;
  const files: AuditFiles = {
    ...disk,
    open: (path) => {
      if (isRefused) throw new Error('refused');
      return open(path);
    },
  };
  const file = new RotatingFile('audit', files);
  isRefused = true;
  expect(() => file.reopen()).toThrow('refused');
  file.append('a\n');
  expect(texts()).toEqual({ audit: 'a\n' });
});

describe('incomplete lines', () => {
  test('a write in several parts is continued', () => {
    const { disk, state, texts } = diskOf();
    state.chunk = 2;
    new RotatingFile('audit', disk).append('abcdefg\n');
    expect(texts()).toEqual({ audit: 'abcdefg\n' });
  });

  test('the line after an incomplete one is complete', () => {
    const { disk, state, texts } = diskOf();
    const file = new RotatingFile('audit', disk);
    file.append('first\n');
    state.room = 3;
    expect(() => file.append('second\n')).toThrow('cannot grow');
    expect(() => file.append('third\n')).toThrow('cannot grow');
    state.room = 100;
    file.append('fourth\n');
    file.append('fifth\n');
    expect(texts()).toEqual({ audit: 'first\nsec\nfourth\nfifth\n' });
  });

  test('a file that ends within a line continues with a new one', () => {
    const { disk, texts } = diskOf({ audit: '{"event":' });
    new RotatingFile('audit', disk).append('{}\n');
    expect(texts()).toEqual({ audit: '{"event":\n{}\n' });
  });

  test('no accepted line is torn or lost, whatever the disk refuses', () => {
    const random = seededRandom(5);
    const { disk, state, texts } = diskOf();
    const file = new RotatingFile('audit', disk, 100_000);
    const accepted: string[] = [];
    for (let i = 0; i < 2000; i++) {
      state.room = random() < 0.3 ? Math.floor(random() * 12) : 1000;
      state.chunk = 1 + Math.floor(random() * 12);
      try {
        file.append(`line ${i}\n`);
        accepted.push(`line ${i}`);
      } catch {}
    }
    const lines = new Set((texts()['audit'] as string).split('\n'));
    expect(accepted.filter((line) => !lines.has(line))).toEqual([]);
  });
});
