/** The principal of a connection whose token is checked again at each use. */

import { expect, test } from 'bun:test';
import { anyone, type Principal } from '#access';
import { tokenClient } from '../../src/postgres/listener/authentication.ts';

const clock = { unixMs: () => 0, monotonicMs: () => 0 };

test('a token that is refused later admits nothing more', async () => {
  const refused = () => Promise.reject(new Error('refused'));
  const answers: (() => Principal | Promise<Principal>)[] = [
    () => anyone,
    refused,
    refused,
    () => anyone,
  ];
  const check = { authenticate: () => answers.shift()?.() ?? anyone };
  const client = await tokenClient(check, 'secret', '127.0.0.1', clock);
  // The check of this use is not complete yet.
  expect(client.principal()).toBe(anyone);
  await Promise.resolve();
  expect(() => client.principal()).toThrow('refused');
  await Promise.resolve();
  expect(client.principal()).toBe(anyone);
});
