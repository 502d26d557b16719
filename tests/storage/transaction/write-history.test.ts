/** The write history against a plain list, and its bounds. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eachOfFew, WriteBatch } from '../../../src/storage/batch/write-batch.ts';
import { WriteHistory } from '../../../src/storage/transaction/write-history.ts';
import { anyKey, anyRange, isWithin } from '../model.ts';

function batchOf(keys: readonly Uint8Array[]): WriteBatch {
  const batch = new WriteBatch();
  for (const key of keys) batch.delete(key);
  return batch;
}

function record(history: WriteHistory, batch: WriteBatch, sequence: number, nowMs: number): void {
  history.expire(nowMs);
  eachOfFew(batch, (write) => history.add(write, sequence, nowMs));
}

const anyCommits = fc.array(fc.array(anyKey, { minLength: 1, maxLength: 6 }), { maxLength: 60 });

test('points and ranges answer like a list of all commits', () => {
  const probe = fc.tuple(anyRange, fc.nat(60));
  fc.assert(
    fc.property(anyCommits, fc.array(probe, { minLength: 5 }), (commits, probes) => {
      const history = new WriteHistory(0, { bytesMax: 1 << 20, ageMsMax: 1000 });
      commits.forEach((keys, i) => {
        record(history, batchOf(keys), i + 1, i);
      });
      for (const [range, since] of probes) {
        const later = commits.slice(since).flat();
        const { from } = range;
        const isWritten = later.some((key) => Buffer.compare(key, from) === 0);
        expect(history.pointChanged(from, since) !== undefined).toBe(isWritten);
        const found = history.rangeChanged(range, since);
        expect(found !== undefined).toBe(later.some((key) => isWithin(range, key)));
        if (found !== undefined) expect(isWithin(range, found)).toBe(true);
      }
    }),
  );
});

describe('long commits', () => {
  const key = (i: number): Uint8Array => Uint8Array.of(i >> 16, i >> 8, i & 0xff);
  const keyCount = 3000;
  /** Every third commit has few keys, and every tenth none. */
  const keysOf = (sequence: number): Uint8Array[] => {
    const count = sequence % 10 === 0 ? 0 : sequence % 3 === 0 ? 2 : 600;
    return Array.from({ length: count }, (_, i) => key((sequence * 709 + i * 1201) % keyCount));
  };

  test.each([1, 20, 150])('of an open transaction that has not seen %d of them', (commits) => {
    const history = new WriteHistory(0, { bytesMax: 64 << 20, ageMsMax: 1000 });
    const last = new Map<string, number>();
    for (let sequence = 1; sequence <= commits; sequence++) {
      const keys = keysOf(sequence);
      const batch = batchOf(keys);
      if (keys.length === 2 || !history.addBatch(batch, sequence, 0)) {
        record(history, batch, sequence, 0);
      }
      for (const written of keys) last.set(String(written), sequence);
    }
    for (let i = 0; i < keyCount; i += 7) {
      for (const since of [0, commits >> 1, Math.max(0, commits - 2), commits]) {
        const isChanged = (last.get(String(key(i))) ?? 0) > since;
        expect(history.pointChanged(key(i), since) !== undefined).toBe(isChanged);
        const found = history.rangeChanged({ from: key(i), to: key(i + 1) }, since);
        expect(found !== undefined).toBe(isChanged);
      }
    }
  });

  test('are forgotten one by one', () => {
    const history = new WriteHistory(0);
    for (let sequence = 1; sequence <= 9; sequence++) {
      history.forget(Math.max(0, sequence - 2), sequence - 1);
      expect(history.addBatch(batchOf(keysOf(1)), sequence, 0)).toBe(true);
    }
    expect(history.bytes).toBe(2 * batchOf(keysOf(1)).heldBytes);
    expect(history.floor).toBe(7);
  });

  test('are bounded in memory like other commits', () => {
    const history = new WriteHistory(0, { bytesMax: 400_000, ageMsMax: 1e9 });
    for (let sequence = 1; sequence <= 60; sequence++) {
      history.expire(0);
      expect(history.addBatch(batchOf(keysOf(1)), sequence, 0)).toBe(true);
    }
    expect(history.bytes).toBeLessThan(400_000 + batchOf(keysOf(1)).heldBytes);
    const [written] = keysOf(1) as [Uint8Array];
    expect(history.pointChanged(written, history.floor) !== undefined).toBe(true);
    expect(history.floor).toBeLessThan(59);
  });

  test('with a few keys between them, which go to a generation of their own', () => {
    const history = new WriteHistory(0);
    history.addBatch(batchOf([key(1)]), 1, 0);
    record(history, batchOf([key(2)]), 2, 0);
    history.addBatch(batchOf([key(3)]), 3, 0);
    record(history, batchOf([key(1)]), 4, 0);
    const changed = (since: number) =>
      [1, 2, 3].filter((i) => history.pointChanged(key(i), since) !== undefined);
    expect([0, 1, 2, 3, 4].map(changed)).toEqual([[1, 2, 3], [1, 2, 3], [1, 3], [1], []]);
    expect(history.rangeChanged({ from: key(2), to: undefined }, 1)).toEqual(key(3));
    expect(history.rangeChanged({ from: key(2), to: key(3) }, 1)).toEqual(key(2));
  });
});

test('thousands of keys in chunks answer like a map', () => {
  const history = new WriteHistory(0);
  const last = new Map<number, number>();
  const key = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 0xff);
  for (let sequence = 1; sequence <= 4000; sequence++) {
    const i = (sequence * sequence * 31) % 3001;
    record(history, batchOf([key(i)]), sequence, 0);
    last.set(i, sequence);
  }
  for (let i = 0; i < 3001; i++) {
    for (const since of [0, 1500, 3990]) {
      expect(history.pointChanged(key(i), since) !== undefined).toBe((last.get(i) ?? 0) > since);
    }
  }
  for (let i = 0; i < 3000; i += 13) {
    const range = { from: key(i), to: key(i + 9) };
    const newest = Math.max(...Array.from({ length: 9 }, (_, j) => last.get(i + j) ?? 0));
    expect(history.rangeChanged(range, newest)).toBeUndefined();
    if (newest > 0) expect(history.rangeChanged(range, newest - 1)).toBeDefined();
  }
});

test('a key that was written once is found wherever it lies among thousands', () => {
  const history = new WriteHistory(0);
  const key = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 0xff);
  const count = 2003;
  const written = Array.from({ length: count }, (_, i) => (i * 1009) % count);
  written.forEach((i, at) => {
    record(history, batchOf([key(i)]), at + 1, 0);
  });
  written.forEach((i, at) => {
    const only = { from: key(i), to: key(i + 1) };
    expect(history.pointChanged(key(i), at) !== undefined).toBe(true);
    expect(history.pointChanged(key(i), at + 1) !== undefined).toBe(false);
    expect(history.rangeChanged(only, at)).toEqual(key(i));
    expect(history.rangeChanged(only, at + 1)).toBeUndefined();
  });
  expect(history.rangeChanged({ from: key(count), to: undefined }, 0)).toBeUndefined();
});

test('a range that begins among keys of old commits shows the newer ones behind them', () => {
  const history = new WriteHistory(0);
  const key = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 0xff);
  const count = 1200;
  for (let i = 0; i < count; i++) record(history, batchOf([key(i)]), i + 1, 0);
  const everything = { from: key(0), to: undefined };
  for (let since = 0; since < count; since += 7) {
    expect(history.rangeChanged(everything, since)).toEqual(key(since));
  }
  expect(history.rangeChanged({ from: key(0), to: key(900) }, 900)).toBeUndefined();
});

test('keys are found as before when their chunk is split by one that comes between them', () => {
  const key = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 0xff);
  for (const between of [1, 255, 257, 509]) {
    const history = new WriteHistory(0);
    const even = Array.from({ length: 256 }, (_, i) => 2 * i);
    for (const [at, i] of [...even, between].entries()) {
      record(history, batchOf([key(i)]), at + 1, 0);
    }
    for (const [at, i] of [...even, between].entries()) {
      expect(history.pointChanged(key(i), at) !== undefined).toBe(true);
      expect(history.rangeChanged({ from: key(i), to: key(i + 1) }, at)).toEqual(key(i));
    }
  }
});

test('its memory is bounded, and the floor says what it has forgotten', () => {
  const history = new WriteHistory(0, { bytesMax: 64_000, ageMsMax: 1e9 });
  for (let sequence = 1; sequence <= 20_000; sequence++) {
    record(history, batchOf([Buffer.from(`key ${sequence}`)]), sequence, 0);
  }
  expect(history.bytes).toBeLessThan(80_000);
  expect(history.floor).toBeGreaterThan(10_000);
  for (let sequence = history.floor + 1; sequence <= 20_000; sequence++) {
    expect(history.pointChanged(Buffer.from(`key ${sequence}`), sequence - 1) !== undefined).toBe(
      true,
    );
  }
});

test('a generation that has just become full hides nothing', () => {
  const history = new WriteHistory(0, { bytesMax: 8_000, ageMsMax: 1e9 });
  for (let sequence = 1; sequence <= 300; sequence++) {
    const key = Buffer.from(`key ${sequence}`);
    record(history, batchOf([key]), sequence, 0);
    expect(history.pointChanged(key, sequence - 1) !== undefined).toBe(true);
    expect(history.rangeChanged({ from: key, to: undefined }, sequence - 1)).toEqual(key);
  }
});

test('what is older than its age is forgotten, what is younger is not', () => {
  const history = new WriteHistory(0, { bytesMax: 1 << 20, ageMsMax: 1000 });
  for (let sequence = 1; sequence <= 100; sequence++) {
    record(history, batchOf([Uint8Array.of(sequence)]), sequence, sequence * 100);
  }
  expect(history.floor).toBeGreaterThanOrEqual(85);
  expect(history.floor).toBeLessThanOrEqual(90);
});

test('nobody is older: everything is forgotten', () => {
  const history = new WriteHistory(0);
  record(history, batchOf([Uint8Array.of(1)]), 1, 0);
  history.forget(0, 1);
  expect(history.pointChanged(Uint8Array.of(1), 0) !== undefined).toBe(true);
  history.forget(1, 1);
  expect(history.floor).toBe(1);
  expect(history.bytes).toBe(0);
});

test('the floor is the newest commit that was forgotten: from there on nothing is missing', () => {
  const history = new WriteHistory(7, { bytesMax: 8_000, ageMsMax: 1e9 });
  expect(history.floor).toBe(7);
  const key = (sequence: number) => Buffer.from(`key ${sequence}`);
  for (let sequence = 8; sequence <= 600; sequence++) {
    record(history, batchOf([key(sequence)]), sequence, 0);
  }
  const { floor } = history;
  expect(floor).toBeGreaterThan(8);
  expect(history.pointChanged(key(floor), floor - 1) !== undefined).toBe(false);
  expect(history.pointChanged(key(floor + 1), floor) !== undefined).toBe(true);
});

test('what nobody asks about any more is forgotten up to the last generation that somebody does', () => {
  const history = new WriteHistory(0, { bytesMax: 8_000, ageMsMax: 1e9 });
  const key = (sequence: number) => Buffer.from(`key ${sequence}`);
  for (let sequence = 1; sequence <= 100; sequence++) {
    record(history, batchOf([key(sequence)]), sequence, 0);
  }
  history.forget(60, 100);
  const { floor } = history;
  expect(floor).toBeGreaterThan(0);
  expect(floor).toBeLessThanOrEqual(60);
  for (let sequence = floor + 1; sequence <= 100; sequence++) {
    expect(history.pointChanged(key(sequence), sequence - 1) !== undefined).toBe(true);
  }
});
