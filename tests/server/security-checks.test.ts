/** The checks of `svc doctor security`. */

import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { keySetCheck, readConfiguration, securityChecks } from '#server';
import { makeAuthority } from '../support/certificates.ts';
import { program } from '../support/program.ts';
import { textOf } from './tls/support.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-checks-'));
afterAll(() => rmSync(home, { recursive: true }));

const authority = makeAuthority(home, 'authority');
const pair = authority.issue('server', ['db.example']);
const tls = { 'tls-cert': pair.cert, 'tls-key': pair.key };
const token = join(home, 'token');
writeFileSync(token, 'a'.repeat(40), { mode: 0o600 });
const day = 86_400_000;

/** The status and message of a check. */
function checked(name: string, flags: Record<string, string>, nowMs = Date.now()) {
  const configuration = readConfiguration({ 'storage-path': join(home, 'absent'), ...flags }, {});
  const { status, message } =
    securityChecks(configuration, nowMs).find((one) => one.name === name) ?? {};
  return [status, message];
}

const containing = (text: string) => expect.stringContaining(text);

test('exposure', () => {
  expect(checked('exposure', {})[0]).toBe('pass');
  expect(checked('exposure', { addr: ':1' })).toEqual(['fail', containing('add --insecure')]);
  expect(checked('exposure', { addr: ':1', insecure: 'true' })).toEqual([
    'warning',
    containing('every client'),
  ]);
  const internal = { 'internal-addr': ':1', 'relay-token-file': token };
  expect(checked('exposure', internal)).toEqual(['fail', containing('--internal-tls-cert')]);
  const behind = { 'behind-tls-proxy': 'true' };
  expect(checked('exposure', behind)).toEqual(['warning', containing('--trusted-proxy')]);
  expect(checked('exposure', { ...behind, 'trusted-proxy': '10.0.0.1' })[0]).toBe('pass');
});

describe('certificates', () => {
  test('are valid, about to expire, expired or not valid yet', () => {
    const at = (days: number) => checked('certificate', tls, Date.now() + days * day);
    expect(at(1)).toEqual(['pass', containing('valid until')]);
    expect(at(7)).toEqual(['warning', containing('expires on')]);
    expect(at(21)).toEqual(['fail', containing('expired on')]);
    expect(at(-1)).toEqual(['fail', containing('not valid yet')]);
  });

  test('have a chain in order', () => {
    const chain = (name: string, ...certificates: string[]) => {
      const path = join(home, name);
      writeFileSync(path, certificates.map(textOf).join(''));
      return checked('certificate', { ...tls, 'tls-cert': path }, Date.now() + day);
    };
    expect(chain('complete.pem', pair.cert, authority.ca)[0]).toBe('pass');
    const other = makeAuthority(home, 'other');
    expect(chain('foreign.pem', pair.cert, other.ca)).toEqual([
      'fail',
      containing('certificate 2 did not issue certificate 1'),
    ]);
  });

  test('have usable files', () => {
    const key = join(home, 'open.key');
    writeFileSync(key, textOf(pair.key));
    chmodSync(key, 0o644);
    expect(checked('certificate', { ...tls, 'tls-key': key })).toEqual([
      'fail',
      containing('chmod 600'),
    ]);
  });

  test('are not needed', () => {
    expect(checked('certificate', {})).toEqual(['pass', 'no listener uses TLS']);
  });

  test('of the internal listener are checked too', () => {
    const flags = {
      'internal-addr': '127.0.0.1:1',
      'relay-token-file': token,
      'internal-tls-cert': pair.cert,
      'internal-tls-key': pair.key,
    };
    expect(checked('certificate', flags, Date.now() + 21 * day)[0]).toBe('fail');
  });
});

test('secrets', () => {
  expect(checked('secrets', {})[0]).toBe('pass');
  const flags = { 'internal-addr': '127.0.0.1:1', 'relay-token-file': token };
  expect(checked('secrets', flags)[0]).toBe('pass');
  const open = join(home, 'open.token');
  writeFileSync(open, 'a'.repeat(40));
  chmodSync(open, 0o604);
  expect(checked('secrets', { ...flags, 'relay-token-file': open })).toEqual([
    'fail',
    containing('chmod 600'),
  ]);
});

test('directories', () => {
  const path = join(home, 'store');
  const at = () => checked('directory', { 'storage-path': path });
  expect(at()[0]).toBe('pass');
  mkdirSync(path);
  chmodSync(path, 0o755);
  const file = join(path, 'lock');
  writeFileSync(file, '');
  chmodSync(file, 0o600);
  expect(at()[0]).toBe('pass');
  chmodSync(file, 0o644);
  expect(at()).toEqual(['warning', containing(file)]);
  // Other users cannot enter it.
  chmodSync(path, 0o750);
  expect(at()[0]).toBe('pass');
  chmodSync(path, 0o757);
  expect(at()).toEqual(['fail', containing(`can write to ${path}`)]);
});

test('limits', () => {
  expect(checked('limits', { 'max-connections': '999999' })).toEqual([
    'fail',
    containing('--max-connections'),
  ]);
});

test('origins of pages', () => {
  expect(checked('cors', {})[0]).toBe('pass');
  expect(checked('cors', { 'cors-origin': 'https://app.example,http://localhost:3000' })[0]).toBe(
    'pass',
  );
  expect(checked('cors', { auth: 'keys', 'cors-origin': '*' })).toEqual([
    'warning',
    containing('pages of all origins'),
  ]);
  expect(checked('cors', { 'cors-origin': 'http://app.example' })).toEqual([
    'warning',
    containing('http://app.example'),
  ]);
});

describe('the key set of the issuer', () => {
  const url = 'https://login.example/keys';
  const jwt = {
    auth: 'jwt',
    'auth-issuer': 'https://login.example/',
    'auth-audience': 'db',
    'auth-jwks-url': url,
  };
  const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
  const keySet = JSON.stringify({ keys: [{ ...key, kid: 'a', use: 'sig' }] });
  const nowMs = Date.parse('2026-05-01T10:00:00Z');
  const at = (seconds: number) => new Date(nowMs + 1000 * seconds).toUTCString();

  async function check(response: Response | Error, flags: Record<string, string> = jwt) {
    const { scheduler } = systemWorld();
    const clock = { unixMs: () => nowMs, monotonicMs: () => 0 };
    const fetch = async () => {
      if (response instanceof Error) throw response;
      return response;
    };
    const found = await keySetCheck(readConfiguration(flags, {}), {
      world: { clock, scheduler },
      fetch,
    });
    return [found.status, found.message];
  }

  test('is not needed without tokens', async () => {
    expect(await check(new Error('asked'), {})).toEqual(['pass', containing('no tokens')]);
  });

  test('is reachable and has a key', async () => {
    const good = new Response(keySet, { headers: { date: at(2) } });
    expect(await check(good)).toEqual(['pass', containing('one usable key')]);
    expect(await check(new Response(keySet))).toEqual(['pass', containing('one usable key')]);
    expect(await check(new Error('no route'))).toEqual(['fail', containing('no route')]);
    const gone = new Response('', { status: 404 });
    expect(await check(gone)).toEqual(['fail', containing('expected status 200, got 404')]);
    expect(await check(new Response('{"keys":[]}'))).toEqual(['fail', containing('no key for')]);
    const file = join(home, 'jwks.json');
    writeFileSync(file, keySet);
    const { 'auth-jwks-url': _, ...others } = jwt;
    const flags = { ...others, 'auth-jwks-file': file };
    expect(await check(new Error('asked'), flags)).toEqual(['pass', containing('one usable key')]);
    rmSync(file);
    expect((await check(new Error('asked'), flags))[0]).toBe('fail');
  });

  test('shows by how much the clock differs, also if it comes from a cache', async () => {
    const dated = (seconds: number, age: number) =>
      new Response(keySet, { headers: { date: at(seconds), age: String(age) } });
    expect(await check(dated(45, 0))).toEqual(['warning', containing('45 s behind')]);
    expect(await check(dated(-45, 0))).toEqual(['warning', containing('45 s ahead of')]);
    expect((await check(dated(-3600, 3600)))[0]).toBe('pass');
  });
});

describe('the command', () => {
  const run = (...flags: string[]) => {
    const command = ['bash', '-c', 'ulimit -c 0; exec "$@"', '-', ...program];
    const argv = [
      ...command,
      'doctor',
      'security',
      '--storage-path',
      join(home, 'absent'),
      ...flags,
    ];
    const { exitCode, stdout } = Bun.spawnSync(argv);
    return { exitCode, lines: stdout.toString().trim().split('\n') };
  };

  test('lists all checks of a safe server', () => {
    const { exitCode, lines } = run();
    expect([exitCode, lines.at(-1)]).toEqual([0, 'Doctor: healthy']);
    const names = lines.slice(0, -1).map((line) => line.split(/ {2,}/)[1]);
    const offline = ['exposure', 'certificate', 'secrets', 'directory', 'limits', 'cors'];
    expect(names).toEqual([...offline, 'jwks', 'keys', 'policies']);
  });

  test('fails for a server that would not start', () => {
    const { exitCode, lines } = run('--addr', ':7237');
    expect([exitCode, lines.at(-1)]).toEqual([1, 'Doctor: failed']);
    expect(lines[0]).toContain('without authentication: add --auth keys');
  });
});
