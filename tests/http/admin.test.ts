/** The admin listener: what it erases, and for whom it does not. */

import { describe, expect, test } from 'bun:test';
import { createAdminHandler } from '#http';

const program = '0123456789abcdef'.repeat(2);
const path = '/api/statistics/corpus';

type Erased = { readonly executions: number; readonly programs: number };

function opened(erase: ((program?: string) => Promise<Erased> | undefined) | undefined) {
  const asked: unknown[] = [];
  const incidents: string[] = [];
  const handler = createAdminHandler({
    engine: () =>
      erase && {
        eraseCorpus: (hash) => {
          asked.push(hash);
          return erase(hash);
        },
      },
    incident: () => 'f00',
    onInternalError: (incident, error, { url }) => incidents.push(`${incident} ${error} ${url}`),
  });
  const send = async (target: string, method = 'DELETE', headers: Record<string, string> = {}) => {
    const url = `http://localhost${target}`;
    const request = new Request(url, { method, headers: { host: 'localhost', ...headers } });
    const answer = await handler.handle(request);
    return {
      answer,
      status: answer.status,
      json: (await answer.json()) as Record<string, unknown>,
    };
  };
  return { send, asked, incidents };
}

const erases = (erased: Erased) => opened(async () => erased);

describe('the corpus is erased', () => {
  test('as a whole, also where it is empty', async () => {
    const { send, asked } = erases({ executions: 5, programs: 2 });
    const { status, json, answer } = await send(path);
    expect([status, json]).toEqual([200, { deleted: 7, executions: 5, programs: 2 }]);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(asked).toEqual([undefined]);
    const empty = erases({ executions: 0, programs: 0 });
    expect((await empty.send(path)).json).toEqual({ deleted: 0, executions: 0, programs: 0 });
  });

  test('of one program, which must be there', async () => {
    const { send, asked } = erases({ executions: 0, programs: 1 });
    expect((await send(`${path}/${program}`)).json).toMatchObject({ deleted: 1 });
    expect(asked).toEqual([program]);
    const none = await erases({ executions: 0, programs: 0 }).send(`${path}/${program}`);
    expect([none.status, none.json['reason']]).toEqual([404, 'not_found']);
    expect(none.json['detail']).toBe(
      `the workload corpus has no program ${program}; nothing was changed`,
    );
    expect(none.json['resource']).toEqual({ kind: 'program', name: program });
  });
});

describe('nothing is erased', () => {
  const nothing = erases({ executions: 1, programs: 1 });
  const refused = async (...request: Parameters<typeof nothing.send>) => {
    const { status, json, answer } = await nothing.send(...request);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(nothing.asked).toEqual([]);
    return { status, json, headers: answer.headers };
  };

  test.each([
    ['/', 404],
    ['/api/statistics', 404],
    [`${path}x`, 404],
    [`/x${path}`, 404],
    [`${path}/`, 400],
    [`${path}/${program}0`, 400],
    [`${path}/${program.slice(1)}`, 400],
    [`${path}/${program.toUpperCase()}`, 400],
    [`${path}/${program}/x`, 400],
    [`${path}/%zz`, 400],
    [`${path}?program=x`, 400],
    [`${path}/${program}?dry=1`, 400],
  ])('at %s: %d', async (target, status) => {
    expect((await refused(target)).status).toBe(status);
  });

  test('by another method, and the right one is named', async () => {
    for (const method of ['GET', 'POST', 'PUT']) {
      const { status, json, headers } = await refused(path, method);
      expect([status, headers.get('allow')]).toEqual([405, 'DELETE']);
      expect(json['detail']).toBe(`${method} is not allowed on ${path}; use DELETE`);
    }
    expect((await refused('/')).headers.get('allow')).toBe(null);
  });

  test.each([
    [{ host: 'db.example' }, '/header/host'],
    [{ origin: 'https://evil.example' }, '/header/origin'],
    [{ origin: 'https://localhost' }, '/header/origin'],
    [{ 'sec-fetch-site': 'cross-site' }, '/header/origin'],
    [{ 'sec-fetch-site': 'same-site' }, '/header/origin'],
    [{ origin: 'http://localhost', 'sec-fetch-site': 'cross-site' }, '/header/origin'],
  ])('for %p', async (headers, pointer) => {
    const { status, json } = await refused(path, 'DELETE', headers);
    expect([status, json['location']]).toEqual([403, { pointer }]);
  });
});

test.each([
  [{ origin: 'http://localhost' }],
  [{ origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }],
  [{ 'sec-fetch-site': 'none' }],
  [{ 'sec-fetch-site': 'same-origin' }],
])('pages of the listener itself may erase: %p', async (headers) => {
  const { send } = erases({ executions: 1, programs: 1 });
  expect((await send(path, 'DELETE', headers)).status).toBe(200);
});

test('a process without a corpus of its own refers to the writer, and one without a database to later', async () => {
  const reader = await opened(() => undefined).send(path);
  expect([reader.status, reader.json['reason']]).toEqual([409, 'read_only']);
  expect(reader.answer.headers.get('retry-after')).toBe(null);
  const closed = await opened(undefined).send(path);
  expect([closed.status, closed.json['reason']]).toEqual([503, 'storage_unavailable']);
  expect(closed.answer.headers.get('retry-after')).toBe('1');
});

test('a mistake of ours is an incident, which the answer names', async () => {
  const { send, incidents } = opened(() => Promise.reject(new Error('on fire')));
  const { status, json } = await send(path);
  expect([status, json['incident']]).toEqual([500, 'f00']);
  expect(incidents).toEqual([`f00 Error: on fire http://localhost${path}`]);
});
