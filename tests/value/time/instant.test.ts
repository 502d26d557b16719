/** Which texts are times, and which moment each of them is. */

import { expect, test } from 'bun:test';
import { parseInstant } from '#value';

const two = (number: number) => String(number).padStart(2, '0');

test('every date of the calendar is its first moment in UTC, and no other text is a date', () => {
  for (const year of [
    0, 1, 4, 99, 100, 400, 1600, 1900, 1969, 1970, 2000, 2024, 2026, 2100, 9999,
  ]) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
        const rolled = Date.parse(text);
        const isDate = !Number.isNaN(rolled) && new Date(rolled).toISOString().startsWith(text);
        expect([text, parseInstant(text)]).toEqual([text, isDate ? rolled : undefined]);
      }
    }
  }
});

test.each([
  ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T23:59:59.999Z', Date.UTC(2026, 0, 31, 23, 59, 59, 999)],
  ['2026-01-31T12:00:00.5Z', Date.UTC(2026, 0, 31, 12, 0, 0, 500)],
  ['2026-01-31T12:00:00.05Z', Date.UTC(2026, 0, 31, 12, 0, 0, 50)],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ['2026-01-01T00:30:00+05:45', Date.UTC(2025, 11, 31, 18, 45)],
  ['2025-12-31T23:30:00-23:59', Date.UTC(2026, 0, 1, 23, 29)],
  ['1969-12-31T23:59:59.999Z', -1],
  ['1970-01-01T00:00:00-00:00', 0],
] as const)('%s is %d', (text, ms) => {
  expect(parseInstant(text)).toBe(ms);
  expect(Date.parse(text)).toBe(ms);
});

test.each([
  // No calendar has them.
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '1900-02-29',
  '2026-04-31',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  // Nor does a clock: Date.parse reads the first as the next day.
  '2026-01-31T24:00:00Z',
  '2026-01-31T25:00:00Z',
  '2026-01-31T12:60:00Z',
  '2026-12-31T23:59:60Z',
  '2026-01-31T12:00:00+24:00',
  '2026-01-31T12:00:00+00:60',
  '2026-01-31T12:00:00-99:99',
  // Its offset is missing, or would be guessed.
  '2026-01-31T12:00:00',
  '2026-01-31T12:00:00+05',
  '2026-01-31T12:00:00+0545',
  // Something would be cut.
  '2026-01-31T12:00:00.1234Z',
  '2026-01-31T12:00:00.Z',
  // Written otherwise.
  '2026-1-31',
  '2026-01-31 12:00:00Z',
  '2026-01-31T12Z',
  '2026-01-31Z',
  '+002026-01-31',
  '-2026-01-31',
  '26-01-31',
  '2026-031',
  '2026-W05-6',
  '2026-01-31\n',
  ' 2026-01-31',
  '２０２６-01-31',
  '31 Jan 2026',
  'yesterday',
  '',
])('%j is no time', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});
