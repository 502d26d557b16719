/** Texts that differ only within their gaps share a template; all others do not. */

import { expect, test } from 'bun:test';
import { TextTemplate } from '../../src/wire/template/text-template.ts';

const text = '{"a":"one","b":"two"}';
const gaps = ['one', 'two'].map((word) => {
  const from = text.indexOf(word);
  return { from, to: from + word.length };
});
const template = new TextTemplate(text, gaps);

test('its head is the text before the first gap', () => {
  expect(template.head).toBe('{"a":"');
  expect(template.length).toBe(text.length);
});

test('gaps of another text come in order, empty ones too', () => {
  expect(template.match(text)).toEqual(['one', 'two']);
  expect(template.match('{"a":"","b":"\u00fc 7"}')).toEqual(['', '\u00fc 7']);
});

test.each([
  '{"a":"one","b":"two"} ',
  '{"a":"one","c":"two"}',
  '{"a":"o\\ne","b":"two"}',
  '{"a":"o\u0001e","b":"two"}',
  '{"a":"one","b":"tw"o"}',
  '{"a":"one","b":"two',
  ' {"a":"one","b":"two"}',
])('%j is no text of it', (other) => {
  expect(template.match(other)).toBeUndefined();
});
