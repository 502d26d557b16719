/** A process begins anew, once, with a heap that is collected by the memory that programs may hold. */

import { expect, test } from 'bun:test';
import { limitHeap } from '../../src/base/heap-size.ts';

const variable = 'BUN_JSC_forceRAMSize';

function begun(env: Record<string, string>, memoryBytes = 2 ** 30) {
  const calls: { path: string; argv: readonly string[]; env: Readonly<Record<string, unknown>> }[] =
    [];
  limitHeap({ memoryBytes }, env, (path, argv, own) => calls.push({ path, argv, env: own }));
  return calls;
}

test('the process is replaced by itself, with its arguments and variables and the size', () => {
  const [call] = begun({ SVC_ADDR: ':0' });
  expect(call?.path).toBe(process.execPath);
  expect(call?.argv).toEqual([process.argv0, ...process.argv.slice(2)]);
  expect(call?.env).toEqual({ SVC_ADDR: ':0', [variable]: String(2 ** 29) });
});

test('with little memory for programs the rest of the process counts', () => {
  expect(begun({}, 16 << 20)[0]?.env[variable]).toBe(String(2 ** 27));
});

test('one that knows a size, its own or of whoever started it, goes on', () => {
  expect(begun({ [variable]: '1' })).toBeEmpty();
});

test('from source nothing can take its place', () => {
  expect(limitHeap({ memoryBytes: 1 }, {})).toBeUndefined();
});
