/** About how often something was asked for: never too low while nothing is forgotten, and forgotten as others come. */

import { expect, test } from 'bun:test';
import { FrequencySketch } from '../../src/http/program/relations/frequency-sketch.ts';

const hashOf = (name: string) => Bun.hash.xxHash32(name);

test('counts what comes, up to fifteen', () => {
  const sketch = new FrequencySketch(1);
  const a = hashOf('a');
  expect(sketch.countOf(a)).toBe(0);
  const counts = Array.from({ length: 17 }, () => sketch.add(a));
  expect(counts).toEqual([...Array.from({ length: 15 }, (_, i) => i + 1), 15, 15]);
  expect(sketch.countOf(a)).toBe(15);
  expect(sketch.countOf(hashOf('b'))).toBe(0);
});

test('tells what came often from what came once, among many others', () => {
  const sketch = new FrequencySketch(256);
  for (let i = 0; i < 600; i++) {
    sketch.add(hashOf(`once ${i}`));
    if (i % 100 === 0) sketch.add(hashOf('often'));
  }
  expect(sketch.countOf(hashOf('often'))).toBeGreaterThanOrEqual(6);
  const seemTwice = Array.from({ length: 600 }, (_, i) => sketch.countOf(hashOf(`once ${i}`)));
  expect(Math.min(...seemTwice)).toBe(1);
  expect(seemTwice.filter((count) => count > 1).length).toBeLessThan(60);
});

test('halves all counts after as many additions as half of its width', () => {
  for (const [things, halveAfter] of [
    [1, 512],
    [64, 512],
    [65, 1024],
    [256, 2048],
  ] as const) {
    const sketch = new FrequencySketch(things);
    const a = hashOf('a');
    for (let i = 0; i < 8; i++) sketch.add(a);
    for (let i = 8; i < halveAfter - 1; i++) sketch.add(hashOf('b'));
    expect([sketch.countOf(a), sketch.countOf(hashOf('b'))]).toEqual([8, 15]);
    expect(sketch.add(hashOf('c'))).toBe(1);
    expect([sketch.countOf(a), sketch.countOf(hashOf('b'))]).toEqual([4, 7]);
  }
});
