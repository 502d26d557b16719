/** Reads key sets from a file, from a URL, or from the URL in the metadata of the issuer (OpenID Connect Discovery 1.0). */

import { type Scheduler, unreachable } from '#base';
import { keySetBytesMax, RefusedKeySet } from './key-set.ts';
import { memberOf, parseStrictObject } from './strict-json.ts';

export type Fetch = (
  url: string,
  init: {
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
    readonly headers: Record<string, string>;
  },
) => Promise<Response>;

/** `issuer`: the URL of the keys is in the metadata of the issuer. */
export type KeyOrigin =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'issuer'; readonly issuer: string };

export interface KeyLoadParts {
  readonly fetch: Fetch;
  /** Returns the content, at most one byte more than `bytesMax`. */
  readonly readFile: (path: string, bytesMax: number) => Promise<Uint8Array>;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

export function loadKeysFrom(origin: KeyOrigin, parts: KeyLoadParts): LoadKeys {
  switch (origin.kind) {
    case 'file':
      return () => parts.readFile(origin.path, keySetBytesMax);
    case 'url':
      return () => withinTime(parts, (download) => download(origin.url, keySetBytesMax));
    case 'issuer':
      return () =>
        withinTime(parts, async (download) => {
          const url = await keysUrlOf(origin.issuer, download);
          return download(url, keySetBytesMax);
        });
    default:
      return unreachable(origin);
  }
}

/** Returns the bytes of the key set. Rejects with a `RefusedKeySet` whose message names the problem. */
export type LoadKeys = () => Promise<Uint8Array>;

type Download = (url: string, bytesMax: number) => Promise<Uint8Array>;

const metadataBytesMax = 64 * 1024;
const timeoutMs = 5000;

async function keysUrlOf(issuer: string, download: Download): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = parseStrictObject(await download(url, metadataBytesMax));
  if (metadata === undefined) throw new RefusedKeySet(`${url}: expected a JSON object`);
  if (memberOf(metadata, 'issuer') !== issuer) {
    throw new RefusedKeySet(`${url}: the member issuer differs from --auth-issuer`);
  }
  const keysUrl = memberOf(metadata, 'jwks_uri');
  if (typeof keysUrl !== 'string')
    throw new RefusedKeySet(`${url}: the member jwks_uri is missing`);
  return keysUrl;
}

/** Runs downloads that are aborted, all together, after the time. */
async function withinTime<T>(
  { scheduler, fetch: send }: KeyLoadParts,
  work: (download: Download) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = scheduler.after(timeoutMs, () => {
    controller.abort();
    reject(new RefusedKeySet(`no complete response within ${timeoutMs / 1000} s`));
  });
  const download = (url: string, bytesMax: number) =>
    receive(url, bytesMax, send, controller.signal);
  try {
    return await Promise.race([work(download), promise]);
  } finally {
    timer.cancel();
  }
}

async function receive(
  url: string,
  bytesMax: number,
  send: Fetch,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (URL.parse(url)?.protocol !== 'https:') {
    throw new RefusedKeySet(`${url}: expected an https URL`);
  }
  const headers = { accept: 'application/json' };
  const response = await send(url, { redirect: 'manual', signal, headers });
  if (response.status !== 200) {
    void response.body?.cancel();
    throw new RefusedKeySet(`${url}: expected status 200, got ${response.status}`);
  }
  return readBody(response, bytesMax, url);
}

async function readBody(response: Response, bytesMax: number, url: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) throw new RefusedKeySet(`${url}: larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
