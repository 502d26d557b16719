/** No write of a revoked key commits after the response to its revocation. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { systemWorld } from '#base';
import type { Engine } from '#engine';
import { DatabaseError } from '#failure';
import { keyPrincipal } from '../../support/principals.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { creates, failureOf, makeTable, numbersIn, open } from './support.ts';

/** `SVC_TEST_RACES=1000` runs more. */
const races = Number(process.env['SVC_TEST_RACES'] ?? 200);
let engine: Engine;

beforeAll(async () => {
  engine = await open('');
  await makeTable(engine);
});
afterAll(() => engine.close());

const keyWith = async (expires = 'never') =>
  (
    await engine.keys.create(
      { name: 'k', scopes: ['read', 'write'], expires_in: expires },
      'test',
      anyone,
    )
  ).id;

/** Writes a row with the number `n` as the key. `beforeCommit` runs between the program and its commit. */
async function write(id: string, n: number, beforeCommit?: () => Promise<void>): Promise<void> {
  const requestContext = engine.requestContext({ principal: keyPrincipal(id) });
  try {
    await engine.execute({ program: creates(n), beforeCommit }, requestContext);
  } finally {
    requestContext.close();
  }
}

describe('a program', () => {
  test('of a live key commits', async () => {
    await write(await keyWith(), -1);
    expect(await numbersIn(engine)).toContain(-1);
  });

  test('of a key that is revoked while it runs commits nothing', async () => {
    const id = await keyWith();
    const { reason } = await failureOf(write(id, -2, () => engine.keys.revoke(id, anyone)));
    expect(reason).toBe('invalid_token');
    expect((await failureOf(write(id, -2))).reason).toBe('invalid_token');
    expect(await numbersIn(engine)).not.toContain(-2);
  });

  test('of a key that is unknown commits nothing', async () => {
    expect((await failureOf(write('0'.repeat(12), -3))).reason).toBe('invalid_token');
  });
});

describe('an open transaction', () => {
  test.each(['before its commit', 'never'])('of a key that is revoked %s', async (when) => {
    const id = await keyWith();
    const n = when === 'never' ? -5 : -6;
    const transaction = engine.begin({ principal: keyPrincipal(id) });
    await transaction.run({ program: creates(n) });
    if (when === 'never') {
      expect(await transaction.commit()).toBe('committed');
    } else {
      await engine.keys.revoke(id, anyone);
      expect((await failureOf(transaction.commit())).reason).toBe('invalid_token');
    }
    expect((await numbersIn(engine)).includes(n)).toBe(when === 'never');
  });

  test('without writes of a revoked key ends', async () => {
    const id = await keyWith();
    const transaction = engine.begin({ principal: keyPrincipal(id) });
    await engine.keys.revoke(id, anyone);
    expect(await transaction.commit()).toBe('committed');
  });
});

describe('an administrator whose key is revoked', () => {
  const admin = { name: 'a', scopes: ['admin'], expires_in: 'never' };
  const ways = [
    ['creates no key', ({ id }: Made) => engine.keys.create(admin, id, keyPrincipal(id))],
    ['rotates no key', ({ id, other }: Made) => engine.keys.rotate(other, id, keyPrincipal(id), 0)],
    ['revokes no key', ({ id, other }: Made) => engine.keys.revoke(other, keyPrincipal(id))],
  ] as const;
  interface Made {
    readonly id: string;
    readonly other: string;
  }

  test.each(ways)('%s, also at the same moment', async (_, change) => {
    const { id } = await engine.keys.create(admin, 'test', anyone);
    const made = { id, other: (await engine.keys.create(admin, 'test', anyone)).id };
    const revoking = engine.keys.revoke(id, anyone);
    const late = failureOf(change(made));
    await revoking;
    expect((await late).reason).toBe('invalid_token');
    const { version } = engine.keys.current;
    expect((await failureOf(change(made))).reason).toBe('invalid_token');
    expect(engine.keys.current.version).toBe(version);
  });

  test('is not admitted when the body of the request arrives', async () => {
    const { id } = await engine.keys.create(admin, 'test', anyone);
    engine.requestContext({ principal: keyPrincipal(id) }).close();
    await engine.keys.revoke(id, anyone);
    const admit = async () => engine.requestContext({ principal: keyPrincipal(id) });
    expect((await failureOf(admit())).reason).toBe('invalid_token');
  });
});

test(`in ${races} races, writers of a key stop at its revocation`, async () => {
  const { scheduler } = systemWorld();
  const chance = seededRandom(41);
  const yields = async () => {
    for (let i = Math.floor(chance() * 4); i > 0; i--) await scheduler.yield();
  };
  let refused = 0;
  for (let race = 0; race < races; race++) {
    const id = await keyWith();
    let hasEnded = false;
    const writer = async () => {
      for (let i = 0; i < 30 && !hasEnded; i++) {
        await yields();
        await write(id, race, chance() < 0.5 ? yields : undefined);
      }
    };
    const writers = Array.from({ length: 4 }, () =>
      writer().catch((error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error;
        expect(error.failure.reason).toBe('invalid_token');
        refused++;
      }),
    );
    await yields();
    await engine.keys.revoke(id, anyone);
    // The response to the revocation: from here on, the key has written all that it ever will.
    const count = async () => (await numbersIn(engine)).filter((n) => n === race).length;
    const atResponse = await count();
    await Promise.all(writers);
    hasEnded = true;
    expect([race, await count()]).toEqual([race, atResponse]);
  }
  expect(refused).toBe(races * 4);
});
