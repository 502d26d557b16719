/** The limits of a document of diagnostics: what is left out, in which order, and that this is said. */

import { describe, expect, test } from 'bun:test';
import { diagnosticsText } from '../../../src/http/program/diagnosis/document.ts';

const kib = 1024;
const mib = 1024 * kib;
/** JSON of about so many bytes. */
const plansOf = (bytes: number) => [{ text: 'p'.repeat(bytes) }];
const summary = '"format":"svc-program-diagnostics-v1","statements":[]';
const texts = {
  submittedProgram: 's'.repeat(256 * kib),
  loweredProgram: 'l'.repeat(256 * kib),
  loweredProgramFamily: 'f'.repeat(256 * kib),
};
const large = ['submittedProgram', 'loweredProgram', 'loweredProgramFamily', 'plans'];

function documentOf(parts: Partial<Parameters<typeof diagnosticsText>[0]>) {
  const text = diagnosticsText({ summary, isCut: false, ...parts });
  const document = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return { document, bytes: Buffer.byteLength(text) };
}

describe('a document beyond 1 MiB', () => {
  test.each([
    [200, large, false],
    [300, large.slice(1), true],
    [600, large.slice(2), true],
    [900, large.slice(3), true],
    [1100, [], true],
  ] as const)('with plans of %d KiB keeps %p', (planKib, kept, isTruncated) => {
    const { document, bytes } = documentOf({ ...texts, plans: plansOf(planKib * kib) });
    expect(large.filter((name) => name in document)).toEqual([...kept]);
    expect(document['truncated']).toBe(isTruncated);
    expect(bytes).toBeLessThanOrEqual(mib);
  });

  test('is one to the byte', () => {
    const rest = documentOf({ plans: plansOf(0) }).bytes;
    expect(documentOf({ plans: plansOf(mib - rest) }).document['truncated']).toBe(false);
    // `false` is a byte longer than `true`.
    expect(documentOf({ plans: plansOf(mib - rest + 1) }).document['truncated']).toBe(true);
  });

  test('is measured in bytes, not in characters', () => {
    const plans = [{ text: '\u20ac'.repeat(400 * kib) }];
    expect(documentOf({ plans }).document).not.toHaveProperty('plans');
  });

  test('by its statements alone loses all large members, and keeps the statements', () => {
    const summary = `"statements":[{"name":"${'n'.repeat(2 * mib)}"}]`;
    const { document } = documentOf({ summary, plans: plansOf(1), ...texts });
    expect(Object.keys(document)).toEqual(['statements', 'truncated']);
    expect(document['truncated']).toBe(true);
  });
});

test.each([
  [256 * kib, true],
  [256 * kib + 1, false],
])('a text of %d bytes is kept: %p', (length, isKept) => {
  const submittedProgram = 'x'.repeat(length);
  const { document } = documentOf({ submittedProgram });
  expect('submittedProgram' in document).toBe(isKept);
  expect('omitted' in document).toBe(!isKept);
  expect(document['truncated']).toBe(false);
});
