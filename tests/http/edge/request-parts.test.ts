/** The parts of a request by themselves: what each reader takes, and what it refuses at which place. */

import { describe, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { DatabaseError } from '#failure';
import { checkAccept } from '../../../src/http/edge/accept.ts';
import { Authority } from '../../../src/http/edge/authority.ts';
import { HostGuard } from '../../../src/http/edge/host.ts';
import { withHost } from '../../../src/http/edge/hostless.ts';
import {
  durationParameter,
  integerParameter,
  oneOfParameter,
} from '../../../src/http/edge/parameter-types.ts';
import {
  booleanParameter,
  checkNoParameters,
  parametersOf,
  pathnameOf,
  pathSegments,
  type QueryParameters,
} from '../../../src/http/edge/parameters.ts';
import { requestFacts } from '../../../src/http/edge/request-facts.ts';
import { matchesTag, parseTagCondition } from '../../../src/http/program/entity-tag.ts';
import { headersOfProblem, queryHeaders } from '../../../src/http/program/query-headers.ts';

/** `status pointer` of what is thrown; undefined where nothing is. */
function refusal(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseError);
    const { status, location } = (error as DatabaseError).failure;
    return `${status} ${location?.pointer}`;
  }
}

describe('Accept of a QUERY', () => {
  test.each([
    [null, true],
    ['', true],
    [' ', true],
    ['application/json', true],
    ['Application/JSON', true],
    ['text/html, application/json', true],
    ['application/*', true],
    ['*/*', true],
    ['text/html, */*;q=0.1', true],
    ['application/json; charset=utf-8; q=0.5', true],
    ['application/json;Q=1', true],
    ['text/html', false],
    ['application/json;q=0', false],
    // What names the type more exactly counts.
    ['application/json;q=0, */*', false],
    ['application/*;q=0, */*;q=1', false],
    ['application/json, */*;q=0', true],
    ['*/*;q=0', false],
    ['application/json;q=x', false],
  ])('%j passes: %p', (accept, passes) => {
    expect(refusal(() => checkAccept(accept))).toBe(passes ? undefined : '406 /header/accept');
  });
});

describe('the host of a request', () => {
  const check = (host: string | null, loopbackOnly = true, ownHost?: string) =>
    refusal(() =>
      new HostGuard({ loopbackOnly, ...(ownHost !== undefined && { ownHost }) }).check(to(host)),
    );
  const to = (host: string | null, path = '/tables') => ({
    url: `http://x${path}`,
    headers: new Headers(host === null ? {} : { host }),
  });

  test.each([
    [null, undefined],
    ['localhost', undefined],
    ['localhost:8080', undefined],
    ['LOCALHOST:8080', undefined],
    ['127.0.0.1', undefined],
    ['127.1.2.3:99999', undefined],
    ['[::1]:8080', undefined],
    ['[::1]', undefined],
    ['db.example', '403 /header/host'],
    ['localhost.example', '403 /header/host'],
    ['10.0.0.1:8080', '403 /header/host'],
    ['localhost:808080', '403 /header/host'],
    ['localhost:', undefined],
    ['::1', '403 /header/host'],
    ['', '403 /header/host'],
    ['localhost, localhost', '400 /header/host'],
  ])('%j on a loopback listener: %p', (host, expected) => {
    expect(check(host)).toBe(expected);
  });

  test('is any one name where the listener is no loopback', () => {
    expect(check('db.example', false)).toBeUndefined();
    expect(check('a.example, b.example', false)).toBe('400 /header/host');
  });

  test('may be the name that the listener was told, in any case of letters', () => {
    expect(check('Db.Example:8080', true, 'dB.example')).toBeUndefined();
    expect(check('other.example', true, 'db.example')).toBe('403 /header/host');
    expect(check('', true, 'db.example')).toBe('403 /header/host');
  });

  test('that passed does not open the door to others', () => {
    const guard = new HostGuard({ loopbackOnly: true });
    const check = (host: string) => refusal(() => guard.check(to(host)));
    for (const _ of [1, 2]) {
      expect(check('localhost')).toBeUndefined();
      expect(check('evil.example')).toBe('403 /header/host');
    }
  });

  test('must be one of the allowed ones, except for probes, which open the door to no other request', () => {
    const guard = new HostGuard({ loopbackOnly: false, allowedHosts: ['db.example', '[::1]'] });
    const check = (host: string | null, path?: string) =>
      refusal(() => guard.check(to(host, path)));
    for (const _ of [1, 2]) {
      expect(check('10.0.0.1:7237', '/readyz')).toBeUndefined();
      expect(check('10.0.0.1:7237', '/readyz?x=/tables')).toBeUndefined();
      expect(check('10.0.0.1:7237')).toBe('403 /header/host');
      expect(check('10.0.0.1:7237', '/tables?/readyz')).toBe('403 /header/host');
      expect(check('db.example')).toBeUndefined();
      expect(check('DB.example:443')).toBeUndefined();
      expect(check('[::1]:7237')).toBeUndefined();
      for (const wrong of ['localhost', 'db.example.evil', 'xdb.example', '', null])
        expect(check(wrong)).toBe('403 /header/host');
    }
  });
});

describe('a request without a host', () => {
  const request = (url: string, method = 'GET', headers: Record<string, string> = {}) =>
    ({ url, method, headers: new Headers(headers) }) as Request;

  test('gets one for what load balancers and monitors ask', () => {
    for (const [path, method] of [
      ['/healthz', 'GET'],
      ['/livez?verbose=1', 'GET'],
      ['/metrics', 'HEAD'],
    ] as const) {
      const given = withHost(request(path, method, { 'x-a': '1' }));
      expect([given.url, given.method, given.headers.get('x-a')]).toEqual([
        `http://localhost${path}`,
        method,
        '1',
      ]);
    }
  });

  test('stays as it is otherwise', () => {
    const others = [
      request('/livez', 'POST'),
      request('/execute', 'GET'),
      request('/livez', 'GET', { host: 'a' }),
      request('http://a/livez'),
    ];
    for (const other of others) expect(withHost(other)).toBe(other);
  });
});

describe('query parameters', () => {
  const known = ['dry-run', 'wait'];
  const at = 'http://a/execute';

  test('are those that the operation knows, each once', () => {
    expect([...parametersOf(`${at}?dry-run=true&wait=1+2%2B#x?y=1`, known)]).toEqual([
      ['dry-run', 'true'],
      ['wait', '1 2+'],
    ]);
    for (const url of [at, `${at}?`, `${at}?#dry=1`]) {
      expect([...parametersOf(url, known)]).toEqual([]);
      expect(refusal(() => checkNoParameters(url))).toBeUndefined();
    }
  });

  test.each([
    ['?dryrun=true', '400 /query/dryrun'],
    ['?wait=1&wait=1', '400 /query/wait'],
    ['?a/b~c=1', '400 /query/a~1b~0c'],
    ['?wait=%', '400 /query'],
    ['?wait=%zz', '400 /query'],
    ['?wait=%ff', '400 /query'],
  ])('%j is refused', (search, expected) => {
    expect(refusal(() => parametersOf(at + search, known))).toBe(expected);
  });

  test('of an operation without any are refused', () => {
    expect(refusal(() => checkNoParameters(`${at}?wait=1`))).toBe('400 /query/wait');
  });

  const read = <T>(reader: (query: QueryParameters) => T, value: string | null) => {
    const query: QueryParameters = new Map(value === null ? [] : [['it', value]]);
    let result: T | string | undefined;
    const refused = refusal(() => {
      result = reader(query);
    });
    return refused ?? result;
  };
  const refused = '400 /query/it';

  test.each([
    [null, false],
    ['false', false],
    ['true', true],
    ['', refused],
    ['1', refused],
    ['TRUE', refused],
  ] as const)('a boolean %j is %p', (value, expected) => {
    expect(read((query) => booleanParameter(query, 'it'), value)).toBe(expected);
  });

  test.each([
    [null, undefined],
    ['0', 0],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', refused],
    ['99999999999999999', refused],
    ['-1', refused],
    ['1.5', refused],
    ['', refused],
    ['0x1', refused],
  ] as const)('a whole number %j is %p', (value, expected) => {
    expect(read((query) => integerParameter(query, 'it'), value)).toBe(expected as never);
  });

  test.each([
    [null, undefined],
    ['0s', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['60s', 60_000],
    ['61s', 60_000],
    ['60001ms', 60_000],
    ['9999999s', 60_000],
    ['99999999s', refused],
    ['30', refused],
    ['30m', refused],
    ['-1s', refused],
    ['1.5s', refused],
    ['', refused],
  ] as const)('a time %j is %p', (value, expected) => {
    expect(read((query) => durationParameter(query, 'it', 60_000), value)).toBe(expected as never);
  });

  test.each([
    [null, undefined],
    ['b', 'b'],
    ['c', refused],
    ['', refused],
  ] as const)('one of some words %j is %p', (value, expected) => {
    expect(read((query) => oneOfParameter(query, 'it', ['a', 'b']), value)).toBe(expected);
  });
});

describe('a path', () => {
  test.each([
    ['http://a', '/'],
    ['http://a/', '/'],
    ['http://a/tables/t', '/tables/t'],
    ['http://a/tables/t?x=/y', '/tables/t'],
    ['http://a:80?x=1', '/'],
  ])('of %s is %s', (url, path) => {
    expect(pathnameOf(url)).toBe(path);
  });

  test('is decoded by segments', () => {
    expect(pathSegments('/tables/a%2Fb/%C3%BC', ['', 'name'])).toEqual(['tables', 'a/b', '\u00fc']);
    expect(refusal(() => pathSegments('/tables/%zz', ['kind', 'name']))).toBe('400 /path/name');
    expect(refusal(() => pathSegments('/tables/a/%', ['kind', 'name']))).toBe('400 /path/2');
  });
});

describe('If-None-Match', () => {
  test.each([
    [null, undefined],
    ['*', '*'],
    [' * ', '*'],
    ['"a"', ['a']],
    ['W/"a"', ['a']],
    ['"a", W/"b,c" ,"d"', ['a', 'b,c', 'd']],
    [', ,"a",, "b",', ['a', 'b']],
    ['""', ['']],
  ] as const)('%j names %j', (header, expected) => {
    expect(parseTagCondition(header)).toEqual(expected as never);
  });

  test.each(['', ',', 'a', '"a', '"a" "b"', 'w/"a"', '"a"b', '*, "a"', '"a\u007f"', '"a b"'])(
    '%j is malformed',
    (header) => {
      expect(refusal(() => parseTagCondition(header))).toBe('400 /header/if-none-match');
    },
  );

  test('compares what is between the quotes', () => {
    expect(matchesTag(undefined, 'W/"a"')).toBe(false);
    expect(matchesTag('*', 'W/"a"')).toBe(true);
    expect(matchesTag(['b', 'a'], 'W/"a"')).toBe(true);
    expect(matchesTag(['b', 'W/"a"'], 'W/"a"')).toBe(false);
  });
});

describe('Svc-Deadline-Ms', () => {
  const context = {
    clock: { monotonicMs: () => 77 },
    authority: new Authority(
      { ...systemWorld(), lifecycle: { engine: undefined } },
      () => undefined,
    ),
  } as unknown as Parameters<typeof requestFacts>[0];
  const factsOf = (value?: string) =>
    requestFacts(
      context,
      new Request('http://a/', {
        headers: value === undefined ? {} : { 'svc-deadline-ms': value },
      }),
    );

  test.each([
    [undefined, undefined],
    ['1', 1],
    ['2147483647', 2147483647],
  ] as const)('%j are %p', (value, expected) => {
    const facts = factsOf(value);
    expect([facts.deadlineMs, facts.arrivedMs]).toEqual([expected, 77]);
  });

  test.each(['0', '2147483648', '99999999999', '-1', '1.5', 'soon', ''])(
    '%j are refused',
    (value) => {
      expect(refusal(() => factsOf(value))).toBe('400 /header/svc-deadline-ms');
    },
  );
});

test('a problem of a query has the headers of its answers', () => {
  const headersOf = (method: string, path: string) =>
    headersOfProblem({ method, url: `http://a${path}` } as Request);
  expect(headersOf('QUERY', '/execute')).toBe(queryHeaders);
  expect(headersOf('QUERY', '/execute?show-plan=true')).toBe(queryHeaders);
  expect(headersOf('POST', '/execute')).toEqual({});
  expect(headersOf('QUERY', '/tables')).toEqual({});
});
