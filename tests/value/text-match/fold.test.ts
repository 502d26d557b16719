import { expect, test } from 'bun:test';
import { foldCodePoint, foldText } from '../../../src/value/text-match/fold.ts';

test('the classes that the specification names', () => {
  for (const members of ['Kk\u212a', 'Ssſ', 'Σσς', 'ẞß', 'µμΜ', 'Åå\u212b', 'ǅǆǄ', 'Ωω\u2126']) {
    expect(new Set([...members].map(foldText)).size).toBe(1);
  }
});

test('no full folding, no locale', () => {
  expect(foldText('ß')).toBe('ß');
  expect(foldText('ﬀ')).toBe('ﬀ');
  expect(foldText('İ')).toBe('İ');
  expect(foldText('ı')).toBe('ı');
  expect(foldText('I')).toBe('i');
});

test('what Unicode 15.1 and 16.0 added stays unfolded', () => {
  const later = [0x1c89, 0x1fd3, 0x1fe3, 0xa7cb, 0xa7cc, 0xa7da, 0xa7dc, 0xfb05];
  for (let codePoint = 0x10d50; codePoint <= 0x10d65; codePoint++) later.push(codePoint);
  for (const codePoint of later) expect(foldCodePoint(codePoint)).toBe(codePoint);
});

test('the table: 1,454 code points, each class has one fold, planes are kept', () => {
  let folding = 0;
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const folded = foldCodePoint(codePoint);
    if (folded === codePoint) continue;
    folding++;
    expect(foldCodePoint(folded)).toBe(folded);
    expect(folded > 0xffff).toBe(codePoint > 0xffff);
  }
  expect(folding).toBe(1454);
});

test('agrees with the runtime where case mapping is one to one and not newer', () => {
  for (let codePoint = 0x80; codePoint <= 0x24f; codePoint++) {
    if (codePoint === 0x130) continue; // İ
    const character = String.fromCodePoint(codePoint);
    const lower = character.toUpperCase().toLowerCase();
    const expected = lower.length === 1 && codePoint !== 0x131 ? lower : character;
    expect([codePoint, foldText(character)]).toEqual([codePoint, expected]);
  }
});

test('supplementary characters and mixed text', () => {
  expect(foldText('\u{10400}x\u{1e900}É')).toBe('\u{10428}x\u{1e922}é');
  expect(foldText('HELLO')).toBe('hello');
});
