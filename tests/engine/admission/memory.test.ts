/** What a request holds of the memory that all share: its body before it runs, its answer when it has run. */

import { expect, test } from 'bun:test';
import { admissionIn, nameOf, turningWorld } from './support.ts';

const mib = 1 << 20;
const setting = (memoryBytes = 64 * mib) => {
  const admission = admissionIn(turningWorld(), { memoryBytes, programMemoryBytes: memoryBytes });
  return { admission, used: () => admission.statistics().poolUsedBytes };
};

test('a body is held from the moment it is known, until the request is over', () => {
  const { admission, used } = setting();
  const requestContext = admission.requestContext();
  requestContext.reserveForBody(3 * mib);
  expect(used()).toBe(3 * mib);
  requestContext.close();
  expect(used()).toBe(0);
});

test('what an answer does not need goes back when it is encoded', () => {
  const { admission, used } = setting();
  const requestContext = admission.requestContext();
  requestContext.reserveForBody(2 * mib);
  requestContext.holdAnswer(5 * mib);
  expect(used()).toBe(7 * mib);
  // Beside the body, which is nothing that a full collection is needed for.
  expect(requestContext.answered(4 * mib)).toBe(mib);
  expect(used()).toBe(4 * mib);
  requestContext.close();
  expect(used()).toBe(0);
});

test('of what is left at last only bodies of up to 64 KiB have some', () => {
  const { admission } = setting();
  const large = admission.requestContext();
  while (true) {
    try {
      large.reserveForBody(admission.statistics().poolUsedBytes + mib);
    } catch {
      break;
    }
  }
  const holding = (bytes: number) => {
    const requestContext = admission.requestContext();
    try {
      requestContext.reserveForBody(bytes);
      return 'held';
    } catch (error) {
      return nameOf(error);
    } finally {
      requestContext.close();
    }
  };
  expect(holding(64 << 10)).toBe('held');
  expect(holding((64 << 10) + 1)).toBe('overloaded');
  large.close();
  expect(holding((64 << 10) + 1)).toBe('held');
});

test('of what is left at last programs that read few rows by key have some, and queries none', () => {
  const { admission } = setting();
  const large = admission.requestContext();
  while (true) {
    try {
      large.reserveForBody(admission.statistics().poolUsedBytes + mib);
    } catch {
      break;
    }
  }
  const answering = (isPoint: boolean) => {
    const requestContext = admission.requestContext();
    // Its body is small.
    requestContext.reserveForBody(1);
    try {
      requestContext.enter(isPoint);
      requestContext.holdAnswer(mib);
      return 'held';
    } catch (error) {
      return nameOf(error);
    } finally {
      requestContext.close();
    }
  };
  expect([answering(true), answering(false)]).toEqual(['held', 'overloaded']);
  large.close();
  expect([answering(true), answering(false)]).toEqual(['held', 'held']);
});
