import { expect, test } from 'bun:test';
import type { Random } from '#base';
import { formatBytes, IdentifierGenerator } from '#value';
import type { IdentifierFunction } from '../../../src/value/identifier/generator.ts';

/** Chance from a fixed seed (xorshift32). */
function seeded(seed: number): Random {
  let state = seed;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return {
    fill: (target) => target.map((_, i) => (target[i] = next() & 0xff)),
    unit: () => next() / 2 ** 32,
  };
}

/** All bits set, except that the xid counter (bytes 5 to 7 of the pool) starts 15 below its end. */
const nearlyFull: Random = {
  fill: (target) => target.fill(0xff).map((_, i) => (target[i] = i === 7 ? 0xf0 : 0xff)),
  unit: () => 0,
};

function generatorAt(times: () => number, random = seeded(7)): IdentifierGenerator {
  return new IdentifierGenerator({ unixMs: times, monotonicMs: () => 0 }, random);
}

const kinds: readonly IdentifierFunction[] = ['uuid_v4', 'uuid_v7', 'ulid', 'xid'];
const start = 1_700_000_000_000;

for (const kind of kinds) {
  test(`${kind} is distinct, also when the clock stands still`, () => {
    const generator = generatorAt(() => start);
    const texts = new Set(Array.from({ length: 20_000 }, () => formatBytes(generator.next(kind))));
    expect(texts.size).toBe(20_000);
  });
}

for (const kind of kinds.slice(1)) {
  test(`${kind} ascends while the clock stands, jumps and goes back`, () => {
    const clock = [0, 0, 1, 5, 3, 2_000, 0, 0, 7_000];
    let turn = 0;
    const generator = generatorAt(() => start + (clock[turn++ % clock.length] as number));
    const texts = Array.from({ length: 10_000 }, () => formatBytes(generator.next(kind)));
    expect(texts).toEqual([...texts].sort());
  });

  test(`${kind} ascends when its counter starts over`, () => {
    const generator = generatorAt(() => start, nearlyFull);
    const texts = Array.from({ length: 5_000 }, () => formatBytes(generator.next(kind)));
    expect(texts).toEqual([...new Set(texts)].sort());
  });
}

test('the counter of uuid_v7 starts anywhere in its lower half, each millisecond anew, and is counted up within it', () => {
  let now = start;
  const generator = generatorAt(() => now);
  const counter = () => Number.parseInt(formatBytes(generator.next('uuid_v7')).slice(15, 18), 16);
  const firsts: number[] = [];
  for (let i = 0; i < 100; i++) {
    now++;
    const first = counter();
    firsts.push(first);
    expect(counter()).toBe(first + 1);
  }
  expect(Math.max(...firsts)).toBeLessThan(0x800);
  expect(new Set(firsts).size).toBeGreaterThan(50);
});

test('version, variant and time stand where they belong', () => {
  const generator = generatorAt(() => start);
  expect(formatBytes(generator.next('uuid_v4'))).toMatch(/^.{14}4.{4}[89ab]/);
  expect(formatBytes(generator.next('uuid_v7'))).toMatch(/^018bcfe5-6800-7[0-7].{2}-[89ab]/);
  expect(generator.next('ulid').bytes.subarray(0, 6).toHex()).toBe('018bcfe56800');
  expect(generator.next('xid').bytes.subarray(0, 4).toHex()).toBe((start / 1000).toString(16));
});

test('an identifier given out is not changed by the next', () => {
  const generator = generatorAt(() => start);
  for (const kind of kinds) {
    const first = generator.next(kind);
    const before = formatBytes(first);
    generator.next(kind);
    expect(formatBytes(first)).toBe(before);
    expect(first.format).toBe(kind.startsWith('uuid') ? 'uuid' : (kind as 'ulid' | 'xid'));
  }
});

test('the random bits of a ulid are counted up as a whole before its time moves on', () => {
  const allButOne: Random = {
    fill: (target) => target.fill(0xff).map((_, i) => (target[i] = i === 14 ? 0 : 0xff)),
    unit: () => 0,
  };
  const generator = generatorAt(() => start, allButOne);
  expect(generator.next('ulid').bytes.toHex()).toBe(`018bcfe5680000${'ff'.repeat(9)}`);
  expect(generator.next('ulid').bytes.toHex()).toBe(`018bcfe5680001${'00'.repeat(9)}`);
});
