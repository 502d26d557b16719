/** The limits that a principal brings along lower those of the server. */

import { describe, expect, test } from 'bun:test';
import { OpenPrincipal } from '#access';
import { keyPrincipal } from '../../support/principals.ts';
import { admissionIn, turningWorld } from './support.ts';

const limited = (limits: Parameters<typeof keyPrincipal>[1]) => keyPrincipal('k', limits);

describe('the deadline', () => {
  const timeoutOf = (deadlineMs: number | undefined, header?: number, isUnlimited = false) => {
    const admission = admissionIn(turningWorld(), { timeoutMs: 1000 });
    const limits = deadlineMs === undefined ? {} : { deadlineMs };
    const principal = limited({ limits });
    const context = admission.requestContext({ principal, deadlineMs: header, isUnlimited });
    const { timeoutMs, timeoutSource } = context;
    context.close();
    return [timeoutMs, timeoutSource];
  };

  test('is the lowest of those of the server, the principal and the request', () => {
    expect(timeoutOf(undefined)).toEqual([1000, '--statement-timeout-ms']);
    expect(timeoutOf(5000)).toEqual([1000, '--statement-timeout-ms']);
    expect(timeoutOf(500)).toEqual([500, 'the limit deadline_ms of the access token']);
    expect(timeoutOf(500, 200)).toEqual([200, 'the header Svc-Deadline-Ms']);
    expect(timeoutOf(500, 700)[0]).toBe(500);
  });

  test('of a principal is not that of its migrations', () => {
    expect(timeoutOf(500, undefined, true)[0]).toBe(0);
  });
});

test('the memory is the lower of that of the server and of the principal', () => {
  const admission = admissionIn(turningWorld());
  const takes = (memoryMib: number | undefined, mib: number) => {
    const limits = memoryMib === undefined ? {} : { memoryMib };
    const context = admission.requestContext({ principal: limited({ limits }) });
    try {
      context.reserveForBody(mib << 20);
      return 'fits';
    } catch (error) {
      return (error as { failure: { reason: string } }).failure.reason;
    } finally {
      context.close();
    }
  };
  expect([takes(2, 1), takes(2, 3), takes(undefined, 3)]).toEqual(['fits', 'memory_limit', 'fits']);
});

test('a program that exceeds the memory of its principal learns which limit that is', () => {
  const admission = admissionIn(turningWorld());
  const context = admission.requestContext({ principal: limited({ limits: { memoryMib: 2 } }) });
  expect(() => context.reserveForBody(3 << 20)).toThrow(
    'its limit of 2 MiB (the limit memory_mib of the access token)',
  );
  context.close();
});

describe('requests at the same time', () => {
  test('are refused beyond the limit, and admitted again when one has ended', () => {
    const admission = admissionIn(turningWorld());
    const principal = limited({ limits: { concurrency: 2 } });
    const [first] = [
      admission.requestContext({ principal }),
      admission.requestContext({ principal }),
    ];
    expect(() => admission.requestContext({ principal })).toThrow('permits 2 requests');
    const other = admission.requestContext({ principal: keyPrincipal('other') });
    first?.close();
    const next = admission.requestContext({ principal });
    expect(() => admission.requestContext({ principal })).toThrow('permits 2 requests');
    // Closing twice counts once.
    first?.close();
    expect(() => admission.requestContext({ principal })).toThrow('permits 2 requests');
    next.close();
    other.close();
    admission.requestContext({ principal }).close();
  });
});

test('without limits, the address of an open client is not asked for: that takes several microseconds', () => {
  const admission = admissionIn(turningWorld());
  let asked = 0;
  const principal = new OpenPrincipal(() => `192.0.2.${++asked}`);
  const context = admission.requestContext({ principal });
  context.reserveForBody(100);
  expect(context.enter(true)).toBeUndefined();
  context.close();
  expect(asked).toBe(0);
});
