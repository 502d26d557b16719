/** Texts that differ only within their gaps share a template; all others do not. Many templates together find what each of them alone would. */

import { expect, test } from 'bun:test';
import { TemplateTrie } from '#wire';
import { type Gap, type GapKind, TextTemplate } from '../../src/wire/template/text-template.ts';

/** `<…>` are gaps of text, `#…#` those of counts. */
function templateOf(marked: string): TextTemplate {
  let text = '';
  const gaps: Gap[] = [];
  for (const part of marked.split(/(<[^>]*>|#\d*#)/)) {
    const kind: GapKind | undefined =
      part[0] === '<' ? 'text' : part[0] === '#' ? 'count' : undefined;
    const shown = kind === undefined ? part : part.slice(1, -1);
    if (kind !== undefined) gaps.push({ kind, from: text.length, to: text.length + shown.length });
    text += shown;
  }
  return new TextTemplate(text, gaps);
}

function trieOf(...marked: readonly string[]): TemplateTrie<string> {
  const trie = new TemplateTrie<string>();
  for (const one of marked) trie.add(templateOf(one), one);
  return trie;
}

function find(trie: TemplateTrie<string>, text: string) {
  return trie.find(text, (value, gaps) => [value, ...gaps]);
}

const pair = '{"a":"<one>","b":"<two>"}';

test('gaps of another text come in order, empty ones too', () => {
  const trie = trieOf(pair);
  expect(find(trie, '{"a":"one","b":"two"}')).toEqual([pair, 'one', 'two']);
  expect(find(trie, '{"a":"","b":"\u00fc 7"}')).toEqual([pair, '', '\u00fc 7']);
});

test.each([
  '{"a":"one","b":"two"} ',
  '{"a":"one","c":"two"}',
  '{"a":"o\\ne","b":"two"}',
  '{"a":"o\u0001e","b":"two"}',
  '{"a":"one","b":"tw"o"}',
  '{"a":"one","b":"two',
  ' {"a":"one","b":"two"}',
  '',
])('%j is no text of it', (other) => {
  expect(find(trieOf(pair), other)).toBeUndefined();
});

test('a count is digits alone', () => {
  const counted = '{"a":#10#,"b":1}';
  const trie = trieOf(counted);
  for (const count of ['0', '7', '999999999999999']) {
    expect(find(trie, `{"a":${count},"b":1}`)).toEqual([counted, count]);
  }
  for (const other of ['', '-1', '1.0', '1e3', '01', '00', '"1"', ' 1', '1 ', '9999999999999999']) {
    expect(find(trie, `{"a":${other},"b":1}`)).toBeUndefined();
  }
});

test('of templates that begin alike each is found, and gone when it is removed', () => {
  const marked = [
    '{"a":"<x>"}',
    '{"a":"<x>","b":"<y>"}',
    '{"a":"<x>","b":"<y>","c":1}',
    '{"a":"<x>","bc":"<y>"}',
    '{"a":"fixed","c":"<y>"}',
    '{"\u{1f600}":"<x>"}',
    '{"\u{1f601}":"<x>"}',
  ];
  const trie = trieOf(...marked);
  const texts = marked.map((one) => one.replace(/<.>/g, 'v'));
  const expectFound = (from: number) => {
    for (const [i, text] of texts.entries()) {
      expect(find(trie, text)?.[0]).toBe(i < from ? undefined : marked[i]);
    }
  };
  expectFound(0);
  for (const [i, one] of marked.entries()) {
    trie.remove(templateOf(one), one);
    expectFound(i + 1);
  }
  expect(trie).toEqual(new TemplateTrie());
});

test('what is removed leaves the tree as if it had not been there', () => {
  const kept = ['{"a":"<x>"}', '{"a":"<x>","b":"<y>"}', '{"ab":"<x>"}'];
  const passing = ['{"a":"<x>","bb":1}', '{"a":"fixed"}', '{"abc":2}', '{"a'];
  const trie = trieOf(...kept, ...passing);
  for (const one of passing) trie.remove(templateOf(one), one);
  expect(trie).toEqual(trieOf(...kept));
});

test('what is a gap of one template can be given in another, before it and behind it', () => {
  const trie = trieOf('["<x>","b"]', '["a","<y>"]', '["<x>","<y>","<z>"]');
  expect(find(trie, '["a","b"]')).toEqual(['["a","<y>"]', 'b']);
  expect(find(trie, '["c","b"]')).toEqual(['["<x>","b"]', 'c']);
  expect(find(trie, '["a","b","c"]')).toEqual(['["<x>","<y>","<z>"]', 'a', 'b', 'c']);
  expect(find(trie, '["c","d"]')).toBeUndefined();
});

test('a value that is not accepted makes room for another one of the same text', () => {
  const trie = new TemplateTrie<number>();
  const template = templateOf('["<x>"]');
  expect(trie.add(template, 1)).toEqual([1]);
  expect(trie.add(template, 2)).toEqual([1, 2]);
  expect(trie.find('["y"]', (value) => (value === 2 ? 'second' : undefined))).toBe('second');
  expect(trie.find('["y"]', () => undefined)).toBeUndefined();
  trie.remove(template, 1);
  expect(trie.find('["y"]', (value) => value)).toBe(2);
});

test('a text that could be read in very many ways is given up', () => {
  // Of twelve strings each is given in half of the templates, and a gap in the other half.
  const trie = new TemplateTrie<number>();
  for (let i = 0; i < 4096; i++) {
    const strings = Array.from({ length: 12 }, (_, bit) => ((i >> bit) & 1 ? '<x>' : 'x'));
    trie.add(templateOf(`["${strings.join('","')}",${i}]`), i);
  }
  const find = (last: number) => trie.find(`[${'"x",'.repeat(12)}${last}]`, (value) => value);
  expect(find(0)).toBe(0);
  // Its last two strings alone are gaps.
  expect(find(0b11 << 10)).toBe(0b11 << 10);
  expect(find(4095)).toBeUndefined();
});
