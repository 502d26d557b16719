/** Reads and writes texts of all types, and compares each with the answer of PostgreSQL 15. */

import { describe, expect, test } from 'bun:test';
import { readText, SqlError, typeByName, writeText } from '#sql';
import { inputs, timeZones } from './inputs.ts';
import recorded from './postgres-15.json';

type Answer = readonly [string] | { readonly sqlstate: string; readonly message: string };

function answerOf(typeName: string, text: string, timeZone: string): Answer {
  const type = typeByName(typeName);
  if (type === undefined) throw new Error(`no type ${typeName}`);
  try {
    return [writeText(type, readText(type, text, { timeZone }), { timeZone })];
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const { sqlstate, message } = error.trouble;
    return { sqlstate, message };
  }
}

describe.each(timeZones)('in the time zone %s', (timeZone) => {
  const answers = (recorded as unknown as Record<string, readonly Answer[]>)[
    timeZone
  ] as readonly Answer[];
  let at = 0;
  for (const [typeName, texts] of Object.entries(inputs)) {
    const from = at;
    at += texts.length;
    test(typeName, () => {
      const actual = texts.map((text) => ({ text, answer: answerOf(typeName, text, timeZone) }));
      const expected = texts.map((text, i) => ({ text, answer: answers[from + i] as Answer }));
      expect(actual).toEqual(expected);
    });
  }
});
