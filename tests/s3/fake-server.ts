/**
 * A bucket in memory behind HTTP, which does as it is told: answers what a test wants, hangs, breaks off, or ignores conditions.
 *
 * It checks no signatures and knows one bucket, called `bucket`; the real server's tests are next door.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Instead of, or after, what an honest server does. */
export type Trick =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly code?: string;
      readonly xml?: string;
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  /** The effect takes place, and then the connection goes. */
  | { readonly kind: 'effect then reset' }
  /** Half of the body that was announced. */
  | { readonly kind: 'truncate' };

export interface FakeOptions {
  /** For each request, in the order they arrive; undefined is honest. */
  readonly trick?: (method: string, path: string, count: number) => Trick | undefined;
  /** Called when a request is left without an answer. */
  readonly hanging?: () => void;
  readonly ignoresConditions?: boolean;
  readonly ignoresRanges?: boolean;
  readonly listsBackwards?: boolean;
  readonly hasBatchDelete?: boolean;
  readonly pageKeys?: number;
}

export interface FakeServer extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, Uint8Array>;
  /** `METHOD path?query` of every request so far. */
  readonly requests: string[];
  stop(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function startFakeServer(options: FakeOptions = {}): Promise<FakeServer> {
  const objects = new Map<string, Uint8Array>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const { method = '', url = '' } = request;
    requests.push(`${method} ${url}`);
    const trick = options.trick?.(method, url, requests.length);
    const honest = () => honestReply(objects, options, request, body);
    if (trick?.kind === 'hang') options.hanging?.();
    else play(trick, honest, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    requests,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function play(
  trick: Exclude<Trick, { kind: 'hang' }> | undefined,
  honest: () => Reply,
  { socket }: IncomingMessage,
  response: ServerResponse,
): void {
  if (trick?.kind === 'answer') {
    const { status, xml, code } = trick;
    send(response, { status, body: xml ?? errorXml(code) });
    return;
  }
  if (trick?.kind === 'reset') {
    socket.destroy();
    return;
  }
  const reply = honest();
  if (trick === undefined) send(response, reply);
  else if (trick.kind === 'effect then reset') socket.destroy();
  else truncate(socket, reply);
}

function truncate(socket: Socket, { status, body = '', headers = {} }: Reply): void {
  const whole = Buffer.from(body as Uint8Array);
  const lines = Object.entries({ ...headers, 'content-length': String(whole.length) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.write(`HTTP/1.1 ${status} x\r\n${lines}\r\n`);
  socket.end(whole.subarray(0, whole.length >> 1));
}

function send(response: ServerResponse, { status, body = '', headers = {} }: Reply): void {
  const length = headers['content-length'] ?? String(Buffer.byteLength(body as string));
  response.writeHead(status, { ...headers, 'content-length': length });
  response.end(body);
}

function errorXml(code: string | undefined): string {
  return code === undefined ? '' : `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

function honestReply(
  objects: Map<string, Uint8Array>,
  options: FakeOptions,
  request: IncomingMessage,
  body: Uint8Array,
): Reply {
  const url = new URL(request.url ?? '', 'http://fake');
  const [, bucket, ...rest] = url.pathname.split('/');
  if (bucket !== 'bucket') return { status: 404, body: errorXml('NoSuchBucket') };
  const key = decodeURIComponent(rest.join('/'));
  if (key === '') {
    return request.method === 'POST'
      ? batchDelete(objects, options, new TextDecoder().decode(body))
      : listing(objects, options, url.searchParams);
  }
  const stored = objects.get(key);
  switch (request.method) {
    case 'PUT':
      if (stored !== undefined && request.headers['if-none-match'] === '*') {
        if (options.ignoresConditions !== true)
          return { status: 412, body: errorXml('PreconditionFailed') };
      }
      objects.set(key, body);
      return { status: 200 };
    case 'DELETE':
      objects.delete(key);
      return { status: 204 };
    case 'HEAD':
      if (stored === undefined) return { status: 404 };
      return {
        status: 200,
        headers: { 'content-length': String(stored.length), ...tagOf(stored) },
      };
    default:
      if (stored === undefined) return { status: 404, body: errorXml('NoSuchKey') };
      return part(stored, options.ignoresRanges ? undefined : request.headers.range);
  }
}

/** When an object was written, in seconds that only count the writes. */
const times = new WeakMap<Uint8Array, string>();
let writes = 0;

function tagOf(stored: Uint8Array): Record<string, string> {
  const time = times.get(stored) ?? new Date(++writes * 1000).toUTCString();
  times.set(stored, time);
  return { 'last-modified': time };
}

function part(stored: Uint8Array, range: string | undefined): Reply {
  const match = /^bytes=(\d+)-(\d+)$/.exec(range ?? '');
  if (match === null) return { status: 200, body: stored };
  const from = Number(match[1]);
  if (from >= stored.length) return { status: 416, body: errorXml('InvalidRange') };
  const to = Math.min(Number(match[2]), stored.length - 1);
  const headers = { 'content-range': `bytes ${from}-${to}/${stored.length}` };
  return { status: 206, body: stored.subarray(from, to + 1), headers };
}

function listing(
  objects: Map<string, Uint8Array>,
  { listsBackwards, pageKeys = 1000 }: FakeOptions,
  query: URLSearchParams,
): Reply {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  if (listsBackwards) keys.reverse();
  const page = keys.slice(0, pageKeys);
  const contents = page.map((key) => {
    const size = objects.get(key)?.length;
    return `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${size}</Size></Contents>`;
  });
  const isTruncated = keys.length > page.length;
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return {
    status: 200,
    body:
      `<?xml version="1.0"?><ListBucketResult xmlns="x"><EncodingType>url</EncodingType>${contents.join('')}` +
      `<IsTruncated>${isTruncated}</IsTruncated>${next}</ListBucketResult>`,
  };
}

function batchDelete(
  objects: Map<string, Uint8Array>,
  { hasBatchDelete = true }: FakeOptions,
  xml: string,
): Reply {
  if (!hasBatchDelete) return { status: 501, body: errorXml('NotImplemented') };
  for (const [, key] of xml.matchAll(/<Key>(.*?)<\/Key>/g)) objects.delete(key as string);
  return { status: 200, body: '<DeleteResult xmlns="x"/>' };
}
