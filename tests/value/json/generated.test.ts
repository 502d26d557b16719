/** Functions that are made from text are made once for each text, and not all of them are kept. */

import { expect, test } from 'bun:test';
import { generated } from '../../../src/value/json/generated.ts';

test('a text that was seen before gives the same function', () => {
  const made = generated('x', 'return () => x + 1;');
  expect(generated('x', ['return', '() => x + 1;'].join(' '))).toBe(made);
  expect((made(4) as () => number)()).toBe(5);
  expect((made(7) as () => number)()).toBe(8);
  expect(generated('y', 'return () => x + 1;')).not.toBe(made);
});

test('of many texts the latest are kept, and of long ones none', () => {
  const first = generated('x', 'return x * 1000;');
  for (let i = 0; i < 255; i++) generated('x', `return x * ${i};`);
  const again = generated('x', 'return x * 1000;');
  expect(again).toBe(first);
  generated('x', 'return x * 1001;');
  expect(generated('x', 'return x * 1000;')).not.toBe(first);
  const long = `return x + ${'1 + '.repeat(3000)}0;`;
  expect(generated('x', long)).not.toBe(generated('x', long));
});
