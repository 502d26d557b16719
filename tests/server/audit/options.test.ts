/** `--audit-log` and `--audit-level`, and the log that they open. */

import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openAudit } from '../../../src/server/audit/open-audit.ts';
import { auditOf } from '../../../src/server/audit/options.ts';
import { LogSink } from '../../../src/server/log-sink.ts';
import { readOption } from '../../../src/server/option.ts';
import { manualWorld } from '../../support/manual-world.ts';

const configured = (flags: Readonly<Record<string, string>>) =>
  auditOf((name) => readOption({ name, variable: '' }, flags[name], undefined));

describe('the options', () => {
  test.each([
    [{}, undefined],
    [{ 'audit-log': 'off' }, undefined],
    [{ 'audit-log': 'stderr' }, { path: undefined, level: 'auth' }],
    [
      { 'audit-log': 'a.log', 'audit-level': 'all' },
      { path: resolve('a.log'), level: 'all' },
    ],
    [
      { 'audit-log': '/var/a.log', 'audit-level': 'write' },
      { path: '/var/a.log', level: 'write' },
    ],
  ] as const)('%j', (flags, expected) => {
    expect(configured(flags)).toEqual(expected);
  });

  test.each([
    [{ 'audit-log': '' }, '--audit-log is "": expected a file, stderr or off'],
    [{ 'audit-level': 'all' }, '--audit-level is "all": expected only with --audit-log'],
    [
      { 'audit-log': 'off', 'audit-level': 'auth' },
      '--audit-level is "auth": expected only with --audit-log',
    ],
    [
      { 'audit-log': 'a', 'audit-level': 'none' },
      '--audit-level is "none": expected one of auth, write, all',
    ],
  ] as const)('%j is refused', (flags, message) => {
    expect(() => configured(flags)).toThrow(message);
  });
});

function partsOf(sink: LogSink) {
  const events: string[] = [];
  const log = { has: () => true, write: (_: string, event: string) => void events.push(event) };
  return { parts: { world: manualWorld(), sink, log }, events };
}

const change = { principal: { kind: 'key', id: 'k' }, address: '192.0.2.1' } as const;

test('a file receives the lines', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-audit-'));
  try {
    const path = join(directory, 'audit.log');
    const audit = openAudit({ path, level: 'auth' }, partsOf(new LogSink(() => undefined)).parts);
    audit.begin('key.created', change)({ outcome: 'succeeded' });
    audit.close();
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['begun', 'succeeded']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a file that cannot be opened is a refused option', () => {
  const { parts } = partsOf(new LogSink(() => undefined));
  expect(() => openAudit({ path: '/nowhere/audit.log', level: 'auth' }, parts)).toThrow(
    /^--audit-log is "\/nowhere\/audit.log": expected a file that can be written: ENOENT/,
  );
});

test('the log receives the lines, and a change is refused if it takes none', () => {
  const lines: string[] = [];
  let isClosed = false;
  const sink = new LogSink((text) => {
    if (isClosed) throw new Error('closed');
    lines.push(text);
    return undefined;
  });
  const { parts, events } = partsOf(sink);
  const audit = openAudit({ path: undefined, level: 'auth' }, parts);
  audit.begin('key.revoked', change)({ outcome: 'failed', reason: 'not_found' });
  expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['begun', 'failed']);
  isClosed = true;
  expect(() => audit.begin('key.revoked', change)).toThrow(/audit log cannot be written/);
  expect(() => audit.begin('key.revoked', change)).toThrow(/audit log cannot be written/);
  expect(events).toEqual(['audit.dropped']);
});
