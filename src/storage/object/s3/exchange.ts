/** Sends one signed request and receives its whole response, within a time limit. */

import { routedFetch, type Scheduler, type Timer } from '#base';
import { encodeQuery, pathOf, type S3Address } from './address.ts';
import {
  type CredentialSource,
  fixedCredentials,
  followedCredentials,
} from './credentials-file.ts';
import { type S3Options, s3Defaults } from './options.ts';
import type { RequestBody } from './request-body.ts';
import { signer } from './sign.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE' | 'POST';
  /** Key of the object; `undefined` for the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
}

export interface S3Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** No response, or an incomplete one: the request may have taken effect, or may do so later. */
export interface S3Silence {
  readonly kind: 'silence';
  readonly error: Error;
}

export type Exchange = (request: S3Request) => Promise<S3Answer | S3Silence>;

const bytesPerMs = (1 << 20) / 1000;
const emptyHash = Bun.SHA256.hash('', 'hex');
/**
 * Requests the bytes of an object uncompressed: a proxy that compresses would change their number.
 */
const plain = { 'accept-encoding': 'identity' };

export function exchangeWith(options: S3Options, address: S3Address): Exchange {
  const { credentials, credentialsFile, region, world } = options;
  const source =
    credentialsFile === undefined
      ? fixedCredentials(credentials)
      : followedCredentials(credentialsFile, credentials, world.clock);
  const sign = followingSigner(source, region);
  const transport = options.transport ?? routedFetch;
  const timeoutMs = options.requestTimeoutMs ?? s3Defaults.requestTimeoutMs;
  const send: Exchange = async ({ method, key, query = {}, headers = {}, body }) => {
    const path = pathOf(address, key);
    const queryText = encodeQuery(query);
    const { host, origin } = address;
    const { clock, scheduler } = options.world;
    const hash = body === undefined ? emptyHash : await body.hash(scheduler);
    const given = { ...plain, ...headers };
    const request = { method, host, path, query: queryText, headers: given, bodyHash: hash };
    const signed = sign(request, clock.unixMs());
    const url = `${origin}${path}${queryText === '' ? '' : `?${queryText}`}`;
    return limited(scheduler, async ({ signal, allow }) => {
      allow(timeoutMs + (body?.bytes ?? 0) / bytesPerMs);
      const response = await transport(url, {
        method,
        headers: signed,
        redirect: 'manual',
        signal,
        ...(body && { body: body.sent }),
      });
      const announced = Number(response.headers.get('content-length') ?? Number.NaN);
      allow(timeoutMs + (announced || 0) / bytesPerMs);
      const received = new Uint8Array(await response.arrayBuffer());
      if (method !== 'HEAD' && announced >= 0 && announced !== received.length) {
        throw new Error(`the response ended after ${received.length} of ${announced} bytes`);
      }
      const { status } = response;
      return { kind: 'answer', status, headers: response.headers, body: received };
    });
  };
  return async (request) => {
    const used = source.current();
    const answer = await send(request);
    const isRefused = answer.kind === 'answer' && answer.status === 403;
    return isRefused && source.refresh(used) ? send(request) : answer;
  };
}

/** Signs with the present credentials. */
function followingSigner(source: CredentialSource, region: string): ReturnType<typeof signer> {
  let credentials = source.current();
  let sign = signer(credentials, region);
  return (request, unixMs) => {
    const present = source.current();
    if (present !== credentials) {
      credentials = present;
      sign = signer(present, region);
    }
    return sign(request, unixMs);
  };
}

interface Limits {
  readonly signal: AbortSignal;
  /** Restarts the time limit with `ms` from now. */
  allow(ms: number): void;
}

/** Ends at the time limit even if the transport ignores its signal. */
async function limited(
  scheduler: Scheduler,
  run: (limits: Limits) => Promise<S3Answer>,
): Promise<S3Answer | S3Silence> {
  const controller = new AbortController();
  const { promise: expired, resolve } = Promise.withResolvers<S3Silence>();
  let timer: Timer | undefined;
  let isOver = false;
  const allow = (ms: number): void => {
    timer?.cancel();
    if (isOver) return;
    timer = scheduler.after(Math.ceil(ms), () => {
      const error = new Error(`no response within ${Math.ceil(ms)} ms`);
      resolve({ kind: 'silence', error });
      controller.abort(error);
    });
  };
  const answered = run({ signal: controller.signal, allow }).catch((error: unknown): S3Silence => {
    return { kind: 'silence', error: error instanceof Error ? error : new Error(String(error)) };
  });
  try {
    return await Promise.race([answered, expired]);
  } finally {
    isOver = true;
    timer?.cancel();
  }
}
