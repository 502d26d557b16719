/** Which requests are traced. */

import { describe, expect, test } from 'bun:test';
import { samplerNames, samplingOf } from '#telemetry';
import { isSampled, parentOf } from '../../src/telemetry/sampling.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('traceparent', () => {
  test('of this version', () => {
    expect(parentOf(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, isSampled: true });
    expect(parentOf(`00-${traceId}-${spanId}-02`)?.isSampled).toBe(false);
  });

  test('of a later one, with more behind it', () => {
    expect(parentOf(`cc-${traceId}-${spanId}-01-more`)).toEqual({
      traceId,
      spanId,
      isSampled: true,
    });
  });

  test.each([
    null,
    '',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
  ])('%p is none', (header) => {
    expect(parentOf(header)).toBeUndefined();
  });
});

describe('samplers', () => {
  const traced = { traceId, spanId, isSampled: true };
  const untraced = { traceId, spanId, isSampled: false };
  const decided = (name: string, ratio: number, chance: number) =>
    [undefined, traced, untraced].map((parent) =>
      isSampled(samplingOf(name, ratio), parent, () => chance),
    );

  test.each([
    ['always_on', 0, 0.5, [true, true, true]],
    ['always_off', 1, 0, [false, false, false]],
    ['traceidratio', 0.5, 0.4, [true, true, true]],
    ['traceidratio', 0.5, 0.5, [false, false, false]],
    ['parentbased_always_on', 0, 0.5, [true, true, false]],
    ['parentbased_always_off', 1, 0, [false, true, false]],
    ['parentbased_traceidratio', 0.5, 0.5, [false, true, false]],
    ['parentbased_traceidratio', 0.5, 0.4, [true, true, false]],
  ] as const)('%s with %p, chance %p', (name, ratio, chance, expected) => {
    expect(samplerNames).toContain(name);
    expect(decided(name, ratio, chance)).toEqual([...expected]);
  });
});
