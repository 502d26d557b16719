/** Each kind of schema: the values that conform, and the finding of each that does not. */

import { describe, expect, test } from 'bun:test';
import { ExactNumber } from '#value';
import { compileDefinition } from '../../../src/wire/check/compile.ts';
import type { JsonSchema } from '../../../src/wire/check/json-schema.ts';
import { Report } from '../../../src/wire/check/report.ts';

function reportOf(schema: JsonSchema, value: unknown): Report {
  const report = new Report();
  compileDefinition('it', { it: schema })(value, 0, report);
  return report;
}

/** `pointer: detail` of each finding. */
const findings = (schema: JsonSchema, value: unknown) =>
  reportOf(schema, value).grammar.map(({ pointer, detail }) => `${pointer}: ${detail}`);

const illFormed = 'text must be well-formed Unicode: it has a lone surrogate';
const lone = 'a\ud800';

interface Kind {
  readonly schema: JsonSchema;
  readonly conform?: readonly unknown[];
  /** Value and findings. */
  readonly wrong: readonly (readonly [unknown, ...string[]])[];
}

const text = { type: 'string' } as const;
const long = (length: number) => 'x'.repeat(length);

const kinds: Readonly<Record<string, Kind>> = {
  'a string': {
    schema: text,
    conform: ['', 'a', '\u{1f418}'],
    wrong: [
      [1, ': expected a string, got a number: write "1"'],
      [7n, ': expected a string, got a number: write "7"'],
      [true, ': expected a string, got a boolean: write "true"'],
      [new ExactNumber('1e400'), ': expected a string, got a number: write "1e400"'],
      [new ExactNumber(long(60)), `: expected a string, got a number: write "${long(60)}"`],
      [new ExactNumber(long(61)), ': expected a string, got a number'],
      [null, ': expected a string, got null'],
      [[1], ': expected a string, got an array'],
      [{}, ': expected a string, got an object'],
      [undefined, ': expected a string, got nothing'],
      [lone, `: ${illFormed}`],
    ],
  },
  'a string that must not be empty': {
    schema: { ...text, minLength: 1 },
    conform: ['a'],
    wrong: [
      ['', ': expected a non-empty string, got an empty string'],
      [1, ': expected a non-empty string, got a number'],
      [lone, `: ${illFormed}`],
    ],
  },
  'a string with a pattern': {
    schema: { ...text, pattern: '^a+$' },
    conform: ['a', 'aaa'],
    wrong: [
      ['ab', ': the string must match ^a+$'],
      [3, ': expected a string, got a number: write "3"'],
    ],
  },
  'a name': {
    schema: { ...text, format: 'identifier' },
    conform: ['a', 'a b', long(255), `${'\u00fc'.repeat(127)}x`],
    wrong: [
      ['', ': expected a name, got an empty string'],
      [1, ': expected a name, got a number'],
      [lone, `: ${illFormed}`],
      ['a\u0007', ': a name must not contain control characters'],
      [long(256), ': a name must have at most 255 bytes of UTF-8'],
      ['\u00fc'.repeat(128), ': a name must have at most 255 bytes of UTF-8'],
    ],
  },
  'one of some words': {
    schema: { enum: ['left', 'right'] },
    conform: ['left', 'right'],
    wrong: [
      ['lefd', ': unknown value "lefd"; did you mean "left"?'],
      ['up', ': unknown value "up"; allowed are "left", "right"'],
      [1, ': expected one of "left", "right", got a number'],
      [long(60), `: unknown value "${long(60)}"; allowed are "left", "right"`],
      [long(61), `: unknown value "${long(60)}…"; allowed are "left", "right"`],
    ],
  },
  'the only word': {
    schema: { enum: ['left'] },
    wrong: [['up', ': unknown value "up"; expected "left"']],
  },
  'a constant': {
    schema: { const: true },
    conform: [true],
    wrong: [[false, ': expected true, got a boolean']],
  },
  'a boolean': {
    schema: { type: 'boolean' },
    conform: [true, false],
    wrong: [['true', ': expected true or false, got a string']],
  },
  'one of several types': {
    schema: { type: ['string', 'null'] },
    conform: ['', null],
    wrong: [
      [1, ': expected a string or null, got a number: write "1"'],
      [[], ': expected a string or null, got an array'],
      [lone, `: ${illFormed}`],
    ],
  },
  'one of several types without a text': {
    schema: { type: ['number', 'boolean'] },
    conform: [1, 7n, new ExactNumber('1e400'), false],
    wrong: [
      ['1', ': expected a number or a boolean, got a string'],
      [{}, ': expected a number or a boolean, got an object'],
    ],
  },
  'any object': {
    schema: { type: 'object' },
    conform: [{}, { a: 1 }],
    wrong: [
      [[], ': expected an object, got an array'],
      [null, ': expected an object, got null'],
    ],
  },
  'an array': {
    schema: { type: 'array', items: { type: 'boolean' } },
    conform: [[], [true, true]],
    wrong: [
      [{}, ': expected an array, got an object'],
      [
        [true, 1, false, 'x'],
        '/1: expected true or false, got a number',
        '/3: expected true or false, got a string',
      ],
    ],
  },
  'an array of some elements at least': {
    schema: { type: 'array', items: text, minItems: 2 },
    conform: [
      ['a', 'a'],
      ['a', 'b', 'c'],
    ],
    wrong: [
      [['a'], ': expected an array of at least 2, got 1'],
      [[], ': expected an array of at least 2, got 0'],
      ['a', ': expected an array of at least 2, got a string'],
    ],
  },
  'an array of distinct elements': {
    schema: { type: 'array', items: text, uniqueItems: true },
    conform: [[], ['a', 'b']],
    wrong: [[['a', 'b', 'c', 'b', 'a'], '/3: the elements of this array must be distinct']],
  },
  'a closed object': {
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { name: text, size: { type: 'integer' }, kind: { const: 'x' } },
      required: ['name', 'kind'],
    },
    conform: [
      { name: 'a', kind: 'x' },
      { kind: 'x', size: 1, name: '' },
    ],
    wrong: [
      [[], ': expected an object, got an array'],
      [new ExactNumber('1'), ': expected an object, got a number'],
      [{ kind: 'x' }, ': missing member "name"'],
      [{ size: 1 }, ': missing members "name", "kind"'],
      [
        { name: 1, kind: 'x', size: 'b' },
        '/name: expected a string, got a number: write "1"',
        '/size: expected an integer, got a string',
      ],
      [{ name: 'a', kind: 'x', sise: 1 }, '/sise: unknown member "sise"; did you mean "size"?'],
      [
        { name: 'a', kind: 'x', toString: 1 },
        '/toString: unknown member "toString"; allowed are "name", "size", "kind"',
      ],
    ],
  },
  'an object of which one set of members must be there': {
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { a: text, b: text, c: text },
      anyOf: [{ required: ['a', 'b'] }, { required: ['c'] }],
    },
    conform: [{ c: '' }, { a: '', b: '' }, { a: '', c: '' }],
    wrong: [
      [{ a: '' }, ': missing member: at least one of "a", "b", "c" is needed'],
      [{}, ': missing member: at least one of "a", "b", "c" is needed'],
    ],
  },
  'a map': {
    schema: { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 1 },
    conform: [{ a: true }, { a: true, b: false }],
    wrong: [
      [{}, ': expected an object of at least 1 member'],
      [[true], ': expected an object, got an array'],
      [
        { a: 1, b: true, c: 0 },
        '/a: expected true or false, got a number',
        '/c: expected true or false, got a number',
      ],
      [{ '': true }, '/: the name of a member must not be empty'],
      [{ [lone]: true }, `: a member name: ${illFormed}`],
    ],
  },
  'a union': {
    schema: {
      anyOf: [
        { type: 'object', additionalProperties: false, properties: { kind: { const: 'scan' } } },
        {
          type: 'object',
          additionalProperties: false,
          properties: { kind: { enum: ['join', 'merge'] }, on: text },
          required: ['kind', 'on'],
        },
      ],
    },
    conform: [{ kind: 'scan' }, { kind: 'join', on: '' }, { on: '', kind: 'merge' }],
    wrong: [
      ['scan', ': expected an object, got a string'],
      [{}, ': missing member "kind", one of "scan", "join", "merge"'],
      [{ kind: 'scam' }, '/kind: unknown kind "scam"; did you mean "scan"?'],
      [{ kind: 7 }, '/kind: expected one of "scan", "join", "merge", got a number'],
      [{ kind: 'merge' }, ': missing member "on"'],
      [{ kind: 'scan', on: '' }, '/on: unknown member "on"; expected "kind"'],
    ],
  },
  'a union by type': {
    schema: {
      anyOf: ['a', 'b'].map((type) => ({
        ...{ type: 'object', additionalProperties: false },
        properties: { type: { const: type } },
      })),
    },
    conform: [{ type: 'a' }],
    wrong: [[{ type: 'c' }, '/type: unknown type "c"; did you mean "a"?']],
  },
};

describe.each(Object.entries(kinds))('%s', (_, { schema, conform = [], wrong }) => {
  test('conforms without findings', () => {
    expect(conform.filter((value) => findings(schema, value).length > 0)).toEqual([]);
  });

  test('is refused with these findings', () => {
    expect(wrong.map(([value]) => [value, ...findings(schema, value)])).toEqual(
      wrong.map((each) => [...each]),
    );
  });
});

test('base64 is canonical and padded, and what is not is a finding of payloads', () => {
  const schema: JsonSchema = { type: 'string', contentEncoding: 'base64' };
  for (const value of ['', 'YQ==', 'YWI=', 'YWJj']) {
    expect(reportOf(schema, value).count).toBe(0);
  }
  for (const value of ['YQ', 'YQ=', 'YR==', '*']) {
    const { grammar, payload } = reportOf(schema, value);
    expect(grammar).toEqual([]);
    expect(payload.map(({ detail }) => detail)).toEqual([
      'expected canonical padded base64; encode the bytes of a uuid, ulid or xid, not its text',
    ]);
  }
  expect(findings(schema, 1)).toEqual([': expected a string of base64, got a number']);
});

describe('definitions', () => {
  const tree: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    properties: { left: { $ref: '#/$defs/tree' }, right: { $ref: '#/$defs/tree' }, leaf: text },
  };

  test('may lead to themselves', () => {
    const report = new Report();
    const check = compileDefinition('tree', { tree });
    check({ left: { right: { leaf: 'a' } }, right: { left: { leaf: 1 } } }, 0, report);
    expect(report.grammar.map(({ pointer }) => pointer)).toEqual(['/right/left/leaf']);
  });

  test('are refined where their structure is right, and only there', () => {
    const seen: unknown[] = [];
    const check = compileDefinition(
      'list',
      { list: { type: 'array', items: { $ref: 'x' } }, x: text },
      {
        x: (value, depth, report) => {
          seen.push(value);
          if (value === 'bad') report.foundPayload(depth, 'bad');
        },
      },
    );
    const report = new Report();
    check(['a', 1, 'bad', 'b'], 0, report);
    expect(seen).toEqual(['a', 'bad', 'b']);
    expect(report.payload.map(({ pointer }) => pointer)).toEqual(['/2']);
    expect(report.grammar.map(({ pointer }) => pointer)).toEqual(['/1']);
  });

  test('that are not there, and unions without a tag, are mistakes of ours', () => {
    expect(() => compileDefinition('a', {})).toThrow('no schema is named a');
    const untagged = { anyOf: [{ type: 'object', properties: {} }, { type: 'object' }] };
    expect(() => compileDefinition('a', { a: untagged })).toThrow('share no tag');
  });
});

test('values that were looked at before are not looked at again', () => {
  const known = [1];
  const report = new Report(new Set([known]));
  const check = compileDefinition('it', {
    it: { type: 'array', items: { type: 'array', items: text } },
  });
  check([known, [2]], 0, report);
  expect(report.grammar.map(({ pointer }) => pointer)).toEqual(['/1/0']);
});
