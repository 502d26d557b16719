/** Text gathered into pieces: nothing is lost between them, and what stands twice is held once. */

import { expect, test } from 'bun:test';
import { PieceWriter } from '../../../src/value/json/piece-writer.ts';

const textOf = (writer: PieceWriter) => Buffer.concat(writer.pieces).toString();

test('pieces are the text, in order', () => {
  const writer = new PieceWriter();
  const parts = ['a', 'ü'.repeat(70_000), '', 'b'];
  for (const part of parts) writer.write(part);
  writer.flush();
  writer.flush();
  expect(textOf(writer)).toBe(parts.join(''));
  expect(writer.pieces.length).toBe(2);
  expect([writer.bytes, writer.heldBytes]).toEqual([140_002, 140_002]);
});

test('a long text is a piece of its own', () => {
  const writer = new PieceWriter();
  const parts = ['a', '€'.repeat(600_000), 'b'];
  for (const part of parts) writer.write(part);
  writer.flush();
  expect(textOf(writer)).toBe(parts.join(''));
  expect(writer.pieces.map(({ length }) => length)).toEqual([1, 1_800_000, 1]);
});

test('pieces that are repeated stand again, behind what was written, and are held once', () => {
  const once = new PieceWriter();
  once.write('xyz');
  once.flush();
  const writer = new PieceWriter();
  writer.write('<');
  writer.repeat(once.pieces);
  writer.repeat(once.pieces);
  writer.write('>');
  writer.flush();
  expect(textOf(writer)).toBe('<xyzxyz>');
  expect([writer.bytes, writer.heldBytes]).toEqual([8, 2]);
});
