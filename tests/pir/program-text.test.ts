/** The text that stands for a program. */

import { expect, test } from 'bun:test';
import { finishSteps, unpaced } from '#base';
import { programFamilyText, programText } from '#pir';
import { TextRows } from '#value';

test('rows that are left in their text read as the lists that they are', () => {
  const program = (rows: unknown) =>
    ({
      statements: [{ relation: { nodes: { r: { kind: 'rows', scope: 'r', rows } } } }],
    }) as never;
  const left = new TextRows(
    '[["a","1"],["b",null]]',
    Uint32Array.of(3, 4, 7, 8, 13, 14, 0, 0),
    2,
    2,
  );
  const lists = [
    ['a', '1'],
    ['b', null],
  ];
  for (const textOf of [programText, programFamilyText]) {
    const text = finishSteps(textOf(program(left), unpaced));
    expect(text).toBe(finishSteps(textOf(program(lists), unpaced)));
  }
  expect(finishSteps(programText(program(left), unpaced))).toContain('[["a","1"],["b",null]]');
});
