/** The body of a request to a bucket: its hash covers all parts, however they are cut, and others get their turn while it is computed. */

import { expect, test } from 'bun:test';
import { RequestBody } from '../../../src/storage/object/s3/request-body.ts';
import { manualWorld } from '../../support/manual-world.ts';

const mib = 1 << 20;
const part = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + seed) & 0xff);

const sha256 = (parts: readonly Uint8Array[]) =>
  new Bun.CryptoHasher('sha256').update(Buffer.concat(parts)).digest('hex');

test('the hash covers every byte of every part, and is computed once', async () => {
  const bodies: readonly (readonly number[])[] = [
    [0],
    [1],
    [mib],
    [mib + 1],
    [3 * mib + 7],
    [5, 0, 2 * mib, 9],
  ];
  for (const lengths of bodies) {
    const parts = lengths.map(part);
    const [only] = parts;
    const body = new RequestBody(parts.length === 1 ? (only as Uint8Array) : parts);
    const { scheduler } = manualWorld();
    const hash = body.hash(scheduler);
    expect(await hash).toBe(sha256(parts));
    expect(body.hash(scheduler)).toBe(hash);
    expect(body.bytes).toBe(lengths.reduce((sum, length) => sum + length, 0));
    const sent = new Uint8Array(await new Response(body.sent).arrayBuffer());
    expect(sha256([sent])).toBe(sha256(parts));
  }
});

test('others get their turn once in a mebibyte', async () => {
  const { scheduler } = manualWorld();
  let turns = 0;
  const counting = {
    ...scheduler,
    yield: async () => {
      turns++;
    },
  };
  for (const [length, expected] of [
    [mib, 0],
    [mib + 1, 1],
    [4 * mib, 3],
  ] as const) {
    turns = 0;
    await new RequestBody(part(length, 1)).hash(counting);
    expect(turns).toBe(expected);
  }
});
