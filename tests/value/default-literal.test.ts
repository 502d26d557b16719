import { expect, test } from 'bun:test';
import {
  ByteString,
  type DefaultLiteral,
  ExactNumber,
  type IdentifierFormat,
  parseDefaultLiteral,
  type ScalarType,
} from '#value';

function outcome(literal: DefaultLiteral, type: ScalarType, format?: IdentifierFormat): unknown {
  const parsed = parseDefaultLiteral(literal, type, format);
  return parsed.kind === 'value' ? parsed.value : new Error(parsed.detail);
}

test('values that fit', () => {
  expect(outcome('', 'text')).toBe('');
  expect(outcome(18, 'int64')).toBe(18);
  expect(outcome(-0, 'int64')).toBe(0);
  expect(outcome(9007199254740993n, 'int64')).toBe(9007199254740993n);
  expect(outcome(1.5, 'float64')).toBe(1.5);
  expect(outcome(-0, 'float64')).toBe(-0);
  expect(outcome(9007199254740993n, 'float64')).toBe(9007199254740992);
  expect(outcome(new ExactNumber('5e0'), 'float64')).toBe(5);
  expect(outcome(false, 'bool')).toBe(false);
  expect(outcome('AQ==', 'bytes')).toEqual(new ByteString(Uint8Array.of(1)));
});

test('formatted bytes take canonical identifier text only', () => {
  const uuid = '00112233-4455-6677-8899-aabbccddeeff';
  expect(outcome(uuid, 'bytes', 'uuid')).toMatchObject({ format: 'uuid', bytes: { length: 16 } });
  expect(outcome(uuid.toUpperCase(), 'bytes', 'uuid')).toBeInstanceOf(Error);
  expect(outcome('AQ==', 'bytes', 'uuid')).toBeInstanceOf(Error);
  expect(outcome(uuid, 'bytes')).toBeInstanceOf(Error);
});

test('int64 takes no fraction, no exponent and nothing out of range', () => {
  for (const literal of [
    new ExactNumber('5.0'),
    new ExactNumber('5e0'),
    1.5,
    2n ** 63n,
    1e300,
    Infinity,
  ]) {
    expect(outcome(literal, 'int64')).toBeInstanceOf(Error);
  }
});

test('float64 must be finite', () => {
  expect(outcome(Infinity, 'float64')).toEqual(new Error('float default must be a finite float64'));
  expect(outcome(10n ** 400n, 'float64')).toBeInstanceOf(Error);
});

test('other types are named in the detail', () => {
  expect(String(outcome('x', 'int64'))).toContain('string default on int64 column');
  expect(String(outcome(1, 'text'))).toContain('integer default on text column');
  expect(String(outcome(1.5, 'int64'))).toContain('float default on int64 column');
  expect(String(outcome(true, 'bytes'))).toContain('bool default on bytes column');
  expect(String(outcome('true', 'bool'))).toContain('string default on bool column');
  expect(outcome('\ud800', 'text')).toBeInstanceOf(Error);
});
