/** The receiver takes each batch once, remembers so many senders, and refuses what finds no room. */

import { expect, test } from 'bun:test';
import { encodeBatch, Receiver } from '#relay';
import type { Told, ToldProgram } from '#statistics';
import { manualWorld } from '../support/manual-world.ts';
import { batchOf, textOf } from './support.ts';

function receiver({ isConfidential = false, isOpen = true, keepsPrograms = false } = {}) {
  const world = manualWorld();
  const folded: Told[] = [];
  const adopted: ToldProgram[] = [];
  const adopt = (programs: readonly ToldProgram[]) => void adopted.push(...programs);
  const waiting: (() => void)[] = [];
  const fold = async (told: Told) => {
    folded.push(told);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { observations: 2, staleFamilies: 1 };
  };
  const one = new Receiver({
    clock: world.clock,
    fold: () => (isOpen ? fold : undefined),
    adopt: () => (keepsPrograms ? adopt : undefined),
    isConfidential,
  });
  const admit = (text: string, bytes = text.length) => {
    const { status, reason } = one.admit(text, bytes);
    return `${status} ${reason}`;
  };
  const send = (sequence: number, boot = 'b') => admit(encodeBatch(batchOf({ sequence, boot })));
  const finish = async () => {
    while (waiting.length > 0) {
      waiting.shift()?.();
      for (let i = 0; i < 5; i++) await Promise.resolve();
    }
  };
  return { world, one, folded, adopted, admit, send, finish };
}

test('a batch is folded in once; one that comes again, or late, is not', async () => {
  const { one, folded, send, finish } = receiver();
  expect(send(1)).toBe('202 accepted');
  expect(send(1)).toBe('202 already_admitted');
  expect(send(5)).toBe('202 accepted');
  expect(send(3)).toBe('202 already_admitted');
  expect(send(1, 'another start')).toBe('202 accepted');
  await finish();
  expect(folded.length).toBe(3);
  expect(one.report()).toEqual({
    received: 3,
    receivedAlreadyApplied: 2,
    receivedRejected: 0,
    receivedSaturated: 0,
    receivedCorpusOversize: 0,
    mergedObservations: 6,
    corpusAdopted: 0,
    refusedStaleFamilies: 3,
    sources: 2,
  });
});

test('64 senders are remembered; the one that was silent for longest goes', async () => {
  const { one, send, finish } = receiver();
  for (let i = 0; i < 64; i++) {
    expect(send(1, `boot ${i}`)).toBe('202 accepted');
    await finish();
  }
  send(2, 'boot 0');
  send(1, 'one more');
  await finish();
  expect(one.report().sources).toBe(64);
  expect(send(2, 'boot 0')).toBe('202 already_admitted');
  expect(send(1, 'boot 1')).toBe('202 accepted');
  await finish();
});

test('the queue has 32 places', async () => {
  const { one, send, finish } = receiver();
  for (let sequence = 1; sequence <= 32; sequence++) expect(send(sequence)).toBe('202 accepted');
  expect(send(33)).toBe('429 saturated');
  await finish();
  expect(send(33)).toBe('202 accepted');
  await finish();
  expect(one.report()).toMatchObject({ received: 33, receivedSaturated: 1 });
});

test('large batches find less room, and no more of them in a second than 4 MB', async () => {
  const { world, admit, finish } = receiver();
  const large = 4 << 20;
  for (let sequence = 1; sequence <= 4; sequence++) {
    expect(admit(textOf({ sequence }), large)).toBe('202 accepted');
  }
  expect(admit(textOf({ sequence: 5 }), large)).toBe('429 saturated');
  // The second's share is back, the room in the queue is not.
  world.advance(60_000);
  expect(admit(textOf({ sequence: 5 }), 1)).toBe('429 saturated');
  await finish();
  for (let sequence = 5; sequence <= 8; sequence++) {
    expect(admit(textOf({ sequence }), large)).toBe('202 accepted');
    await finish();
  }
  expect(admit('{', 1)).toBe('429 saturated');
  world.advance(1);
  expect(admit(textOf({ sequence: 9 }), large)).toBe('202 accepted');
  expect(admit(textOf({ sequence: 10 }), 1)).toBe('429 saturated');
});

test('what is refused is counted', () => {
  const plain = receiver();
  expect(plain.admit('{')).toBe('400 malformed_batch');
  expect(plain.admit(textOf({ format: 4 }))).toBe('400 format_mismatch');
  const corpus = [{ document: '{}', executions: 1 }];
  expect(plain.admit(textOf({ corpus }))).toBe('403 corpus_requires_tls');
  const large = [{ document: 'x'.repeat((1 << 20) + 1) }];
  expect(plain.admit(textOf({ corpus: large }))).toBe('413 corpus_document_too_large');
  expect(plain.one.report()).toMatchObject({
    received: 0,
    receivedRejected: 1,
    receivedCorpusOversize: 1,
  });
  const encrypted = receiver({ isConfidential: true });
  expect(encrypted.admit(textOf({ corpus }))).toBe('403 corpus_disabled');
  const open = receiver({ keepsPrograms: true });
  expect(open.admit(textOf({ corpus }))).toBe('403 corpus_requires_tls');
  const closed = receiver({ isOpen: false });
  expect(closed.send(1)).toBe('429 saturated');
});

test('programs are kept once, where the way is confidential', async () => {
  const { one, adopted, admit, finish } = receiver({ isConfidential: true, keepsPrograms: true });
  const corpus = [
    { document: '{"statements":[]}', executions: 3 },
    { document: '{"a":1}', executions: 1 },
  ];
  expect(admit(textOf({ corpus }))).toBe('202 accepted');
  expect(admit(textOf({ corpus }))).toBe('202 already_admitted');
  await finish();
  expect(adopted).toEqual(corpus);
  expect(one.report()).toMatchObject({ corpusAdopted: 2, received: 1 });
});
