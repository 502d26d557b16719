/** Responses of the runtime itself, to the byte (docs/http.md): a runtime that answers otherwise, or lets a handler answer, shows here. */

import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bareResponses,
  headBytesMax,
  headerLinesMax,
} from '../../src/wire/openapi/bare-responses.ts';
import { openRawClient } from '../support/raw-client.ts';
import { startTestServer } from './test-server.ts';

const running = await startTestServer({ storage: 'memory' });
await running.server.opened;
afterAll(() => running[Symbol.asyncDispose]());

const line = (method: string, version = 'HTTP/1.1') => `${method} /livez ${version}\r\n`;
const host = 'Host: localhost\r\n';
const json = 'Content-Type: application/json\r\n';
const get = line('GET') + host;
const post = `POST /execute HTTP/1.1\r\n${host}${json}`;
const chunked = `${post}Transfer-Encoding: chunked\r\n`;

/** A GET whose head has so many bytes. */
function headOf(bytes: number): string {
  const rest = `${get}x: \r\n\r\n`.length;
  return `${get}x: ${'x'.repeat(bytes - rest)}\r\n\r\n`;
}

/** A GET with so many header lines, `Host` included. */
function linesOf(count: number): string {
  return `${get}${Array.from({ length: count - 1 }, (_, i) => `x${i}: y\r\n`).join('')}\r\n`;
}

const requests: Readonly<Record<(typeof bareResponses)[number]['name'], readonly string[]>> = {
  large_head: [headOf(headBytesMax + 1), headOf(60_000), linesOf(headerLinesMax + 1), linesOf(900)],
  malformed: [
    `${line('GET')}\r\n`,
    'GETTT\r\n\r\n',
    ` ${get}\r\n`,
    `GET  /livez HTTP/1.1\r\n${host}\r\n`,
    `GET livez HTTP/1.1\r\n${host}\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `${get}bad line\r\n\r\n`,
    `${get}x : y\r\n\r\n`,
    `${get}x: a\r\n b\r\n\r\n`,
    `${get}x: \u0000\r\n\r\n`,
    `${get}x: a\nb\r\n\r\n`,
    `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`,
    `${post}Content-Length: abc\r\n\r\n`,
    `${post}Content-Length: -1\r\n\r\n`,
    `${post}Transfer-Encoding: gzip\r\n\r\nabc`,
    `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding:\r\nContent-Length: 2\r\n\r\n{}`,
    `${chunked}\r\nzz\r\n`,
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001',
  ],
  version: [
    `${line('GET', 'HTTP/1.2')}${host}\r\n`,
    `${line('GET', 'HTTP/3.0')}${host}\r\n`,
    `${line('GET', 'http/1.1')}${host}\r\n`,
    'GET /livez\r\n\r\n',
    'GET /livez HTTP/1.1\nHost: localhost\n\n',
  ],
  length: [`${post}Content-Length: ${2 ** 40 + 1}\r\n\r\n`],
  chunk_extension: [`${chunked}\r\n2;${'e'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`],
  method: ['FOO', 'BREW', 'get', 'VERSION-CONTROL'].map((method) => `${line(method)}${host}\r\n`),
};

async function responseTo(request: string): Promise<string> {
  const client = await openRawClient(running.port);
  client.send(request);
  return client.closed;
}

describe('the runtime answers by itself, and closes the connection', () => {
  for (const { name, bytes } of bareResponses) {
    for (const request of requests[name]) {
      test(`${name}: ${JSON.stringify(request).slice(0, 90)}`, async () => {
        expect(await responseTo(request)).toBe(bytes);
      });
    }
  }
});

test('docs/http.md has these bytes', () => {
  const page = readFileSync(join(import.meta.dir, '../../docs/http.md'), 'utf8');
  for (const { bytes } of bareResponses.filter((one) => one.bytes !== '')) {
    expect(page).toContain(`| \`${bytes.replaceAll('\r\n', '\\r\\n')}\` |`);
  }
  expect(page).toContain(`more than ${headBytesMax.toLocaleString('en')} bytes`);
  expect(page).toContain(`more than ${headerLinesMax} header lines`);
});

describe('within the limits of the runtime the server answers', () => {
  const statusOf = async (request: string) => {
    const client = await openRawClient(running.port);
    client.send(request);
    const received = await client.until('\r\n\r\n');
    client.end();
    return [Number(received.split(' ')[1]), received.includes('application/problem+json')];
  };

  test('a head of 16,384 bytes, and 198 header lines', async () => {
    expect(await statusOf(headOf(headBytesMax))).toEqual([200, false]);
    expect(await statusOf(linesOf(headerLinesMax))).toEqual([200, false]);
  });

  // Those of WebDAV, UPnP and caches.
  const known = `PUT PATCH DELETE TRACE CONNECT PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK PURGE SEARCH REPORT MKCALENDAR
    MERGE LINK UNLINK ACL BIND REBIND UNBIND MKACTIVITY CHECKOUT M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE SOURCE`;
  for (const method of known.split(/\s+/)) {
    test(`${method} is a problem: 405 on a route, 404 elsewhere`, async () => {
      const on = (path: string) => statusOf(`${method} ${path} HTTP/1.1\r\n${host}\r\n`);
      expect(await on('/execute')).toEqual([405, true]);
      expect(await on('/nothing')).toEqual([404, true]);
    });
  }

  test('two hosts, and a host that is none, are problems', async () => {
    expect(await statusOf(`${get}${host}\r\n`)).toEqual([400, true]);
    expect(await statusOf('GET /info HTTP/1.1\r\nHost:\r\n\r\n')).toEqual([400, true]);
  });
});
