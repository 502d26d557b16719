/** Those who wait for the same thing, one queue for each principal. */

import { expect, test } from 'bun:test';
import { OpenPrincipal } from '#access';
import { FairQueue } from '../../../src/engine/admission/fair-queue.ts';
import { admissionIn, settled, turningWorld } from './support.ts';

function setting() {
  const admission = admissionIn(turningWorld());
  const line = new FairQueue(admission.usage);
  const served: string[] = [];
  const wait = (principal: string) => {
    const requestContext = admission.requestContext({
      principal: new OpenPrincipal(() => principal),
    });
    void line.wait(requestContext).then(() => served.push(principal));
    return requestContext;
  };
  return { admission, line, served, wait };
}

test('somebody else waits when another principal does, not when one waits twice', () => {
  const { line, wait } = setting();
  expect(line.hasOther('a')).toBe(false);
  wait('a');
  wait('a');
  expect([line.hasOther('a'), line.hasOther('b')]).toEqual([false, true]);
  wait('b');
  expect([line.hasOther('a'), line.hasOther('b'), line.hasOther('c')]).toEqual([true, true, true]);
  expect([line.length, line.lengthOf('a'), line.lengthOf('c')]).toEqual([3, 2, 0]);
});

test('the principal that has used the least is next, each in its order, among those that may', async () => {
  const { admission, line, served, wait } = setting();
  admission.usage.charge('a', 100);
  admission.usage.charge('b', 10);
  for (const principal of ['a', 'b', 'b', 'c']) wait(principal);
  expect(line.leastUsed()).toBe(0);
  line.next((principal) => principal !== 'c')?.resolve();
  for (let i = 0; i < 3; i++) line.next()?.resolve();
  await settled();
  expect(served).toEqual(['b', 'c', 'b', 'a']);
  expect([line.next(), line.length]).toEqual([undefined, 0]);
});
