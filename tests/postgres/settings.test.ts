/** The settings of a session. */

import { expect, test } from 'bun:test';
import { Settings, schemasOf } from '../../src/postgres/settings/settings.ts';
import { stateOf } from './support/state-of.ts';

function fresh(): Settings {
  return new Settings(
    new Map([
      ['session_authorization', 'ada'],
      ['application_name', 'psql'],
    ]),
  );
}

test('values have the form in which PostgreSQL prints them', () => {
  const settings = fresh();
  const shown: readonly (readonly [string, string, string])[] = [
    ['statement_timeout', '1000', '1s'],
    ['statement_timeout', '1500', '1500ms'],
    ['statement_timeout', '2min', '2min'],
    ['statement_timeout', '0', '0'],
    ['JIT', 'true', 'on'],
    ['datestyle', 'iso', 'ISO, MDY'],
    ['client_encoding', 'utf-8', 'UTF8'],
    ['client_encoding', "'utf-8'", 'UTF8'],
    ['timezone', 'utc', 'UTC'],
    ['timezone', 'Europe/Berlin', 'Europe/Berlin'],
    ['extra_float_digits', '3', '3'],
    ['my.own', 'x', 'x'],
    ['enable_seqscan', 'off', 'off'],
  ];
  for (const [name, value, expected] of shown) {
    settings.set(name, value, false);
    expect([name, settings.get(name)]).toEqual([name, expected]);
  }
});

test('values that would be ignored are refused', () => {
  const settings = fresh();
  const refused: readonly (readonly [string, string, string])[] = [
    ['client_encoding', 'LATIN1', '22023'],
    ['datestyle', 'German', '22023'],
    ['standard_conforming_strings', 'off', '22023'],
    ['timezone', 'Mars/Base', '22023'],
    ['statement_timeout', '1 parsec', '22023'],
    ['server_version', '16', '55P02'],
    ['no_such', '1', '42704'],
    ['svc.no_such', '1', '42704'],
  ];
  for (const [name, value, state] of refused) {
    expect([name, stateOf(() => settings.set(name, value, false))]).toEqual([name, state]);
  }
  expect(stateOf(() => settings.get('no_such'))).toBe('42704');
  expect(stateOf(() => settings.get('my.own'))).toBe('42704');
});

test('RESET returns to the value of the connection', () => {
  const settings = fresh();
  settings.set('application_name', 'x', false);
  settings.reset('application_name');
  expect(settings.get('application_name')).toBe('psql');
  settings.set('jit', 'on', false);
  settings.reset('all');
  expect(settings.get('jit')).toBe('off');
});

test('local values hide those of the session until they end', () => {
  const settings = fresh();
  settings.set('work_mem', '8MB', false);
  const before = settings.state;
  settings.set('work_mem', '9MB', true);
  expect(settings.get('work_mem')).toBe('9MB');
  settings.endLocal();
  expect(settings.get('work_mem')).toBe('8MB');
  settings.set('work_mem', '10MB', false);
  settings.restore(before);
  expect(settings.get('work_mem')).toBe('8MB');
});

test('SHOW ALL contains each setting once', () => {
  const settings = fresh();
  settings.set('My.Own', 'x', false);
  const names = settings.all().map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('my.own');
  expect(names).toContain('TimeZone');
});

test('a search path is a list of names', () => {
  expect(schemasOf('"$user", public', 'ada')).toEqual(['ada', 'public']);
  expect(schemasOf('A, "B ""c"""', 'ada')).toEqual(['a', 'B "c"']);
  expect(schemasOf('', 'ada')).toEqual([]);
});
