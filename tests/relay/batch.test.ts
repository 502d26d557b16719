/** The form of a batch: what is written is what is read, and what comes from outside is refused where it is anything else. */

import { describe, expect, test } from 'bun:test';
import { decodeBatch, encodeBatch } from '#relay';
import { batchOf, textOf } from './support.ts';

test('what is written is what is read', () => {
  expect(decodeBatch(encodeBatch(batchOf()))).toEqual(batchOf());
  const corpus = [{ document: '{"a":9007199254740993}', executions: 2 }];
  expect(decodeBatch(encodeBatch(batchOf({ corpus })))).toEqual(batchOf({ corpus }));
});

const family = batchOf().families[0];
const execution = {
  rows: 1,
  variant: 0,
  observations: [] as unknown[],
};
const withExecution = (changes: Readonly<Record<string, unknown>>) => ({
  families: [{ ...family, executions: [{ ...execution, ...changes }] }],
});
const many = (length: number, one: unknown) => Array.from({ length }, () => one);

const malformed: readonly (readonly [what: string, body: string, detail: string])[] = [
  ['no JSON', '{', 'the body is not valid JSON'],
  ['a list', '[]', 'the body is not an object'],
  ['null', 'null', 'the body is not an object'],
  ['no format', '{}', '/format is not a number'],
  ['no instance', textOf({ instance: undefined }), '/instance is not a string'],
  ['a long boot', textOf({ boot: 'x'.repeat(257) }), '/boot is not a string'],
  ['sequence 0', textOf({ sequence: 0 }), '/sequence is less than 1'],
  ['sequence 1.5', textOf({ sequence: 1.5 }), '/sequence is not an integer'],
  ['no time', textOf({ sentAtMicros: '1' }), '/sentAtMicros is not an integer'],
  ['no families', textOf({ families: {} }), '/families is not a list'],
  ['many families', textOf({ families: many(513, family) }), '/families has '],
  ['a family that is none', textOf({ families: [3] }), '/families/0 is not an object'],
  [
    'many executions, of all families',
    textOf({ families: many(2, { ...family, executions: many(2_049, execution) }) }),
    '/families/1/executions has ',
  ],
  ['rows below 0', textOf(withExecution({ rows: -1 })), '/families/0/executions/0/rows is not'],
  ['rows above', textOf(withExecution({ rows: 2 ** 53 })), '/families/0/executions/0/rows is not'],
  ['a time', textOf(withExecution({ micros: -1 })), '/families/0/executions/0/micros is not'],
  ['work', textOf(withExecution({ work: { gets: 1 } })), '/executions/0/work/puts is not'],
  [
    'many observations',
    textOf(withExecution({ observations: many(65, ['s', 1, 1, false]) })),
    '/observations has ',
  ],
  [
    'an observation',
    textOf(withExecution({ observations: [['s', 1, 1]] })),
    '/observations/0 is not [part',
  ],
  [
    'an observation of no part',
    textOf(withExecution({ observations: [[null, 1, 1, true]] })),
    '/observations/0/0 is not a string',
  ],
  [
    'an estimate',
    textOf(withExecution({ observations: [['s', null, 1, true]] })),
    '/observations/0/1 is not a number',
  ],
  [
    'a cut',
    textOf(withExecution({ observations: [['s', 1, 1, 1]] })),
    '/observations/0/3 is not a boolean',
  ],
  ['a frequency', textOf({ frequency: [{ family: 'f', rows: 1 }] }), '/frequency/0/count is not'],
  ['many of them', textOf({ frequency: many(1_025, {}) }), '/frequency has '],
  ['no corpus', textOf({ corpus: undefined }), '/corpus is not a list'],
  ['a document', textOf({ corpus: [{}] }), '/corpus/0/document is not a string'],
  [
    'a document that is no JSON',
    textOf({ corpus: [{ document: '{', executions: 1 }] }),
    '/corpus/0/document is not a JSON object',
  ],
  [
    'executions of a document',
    textOf({ corpus: [{ document: '{}' }] }),
    '/corpus/0/executions is not an integer',
  ],
  ['many documents', textOf({ corpus: many(4_097, {}) }), '/corpus has '],
];

describe('malformed:', () => {
  test.each(malformed)('%s', (_, body, detail) => {
    const found = decodeBatch(body);
    expect(found).toMatchObject({ reason: 'malformed_batch' });
    expect((found as { detail: string }).detail).toContain(detail);
  });
});

test('another format, and programs', () => {
  const reason = (changes: Readonly<Record<string, unknown>>) =>
    (decodeBatch(textOf(changes)) as { reason: string }).reason;
  expect(reason({ format: 2 })).toBe('format_mismatch');
  const largest = { document: `{"a":"${'x'.repeat((1 << 20) - 8)}"}`, executions: 1 };
  expect(decodeBatch(textOf({ corpus: [largest] }))).toMatchObject({ corpus: [largest] });
  const large = { document: 'x'.repeat((1 << 20) + 1) };
  expect(reason({ corpus: [large] })).toBe('corpus_document_too_large');
});
