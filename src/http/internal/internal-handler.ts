/**
 * The internal listener (docs/relay.md): one route for processes on the same database, protected by a shared token. A
 * client without the token gets a response before its body is read. A client with the token has limits on size, time and
 * number of bodies, so that it cannot delay the public listener.
 */

import type { Scheduler } from '#base';
import type { Receiver } from '#relay';
import { pathnameOf } from '../edge/parameters.ts';
import { type TrackedHandler, trackedHandler } from '../edge/tracked-handler.ts';
import { readBounded } from './bounded-body.ts';
import { tokenCheck } from './token.ts';

const path = '/internal/statistics/observations';
const bodyBytesMax = 4 << 20;
const bodyMsMax = 10_000;
/** Maximum number of bodies that are received at the same time. */
const arrivingMax = 8;

interface InternalOptions {
  readonly token: string;
  readonly receiver: Pick<Receiver, 'saturated' | 'admit'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
  /** Called with the client address of each request without the correct token. */
  readonly onUnauthorized: (address: string | undefined) => void;
}

export function createInternalHandler({
  token,
  receiver,
  scheduler,
  onUnauthorized,
}: InternalOptions): TrackedHandler {
  const isAllowed = tokenCheck(token);
  let arriving = 0;
  return trackedHandler(async (request, transport) => {
    if (!isAllowed(request.headers.get('authorization'))) {
      onUnauthorized(transport.address(request));
      return reply(401, { reason: 'unauthorized' });
    }
    if (pathnameOf(request.url) !== path) return reply(404, { reason: 'not_found' });
    if (request.method !== 'POST') return reply(405, { reason: 'method_not_allowed' });
    const full = receiver.saturated();
    if (full !== undefined) return reply(429, full);
    if (arriving >= arrivingMax) return reply(429, { reason: 'saturated' });
    arriving++;
    const body = await readBounded(request, {
      bytesMax: bodyBytesMax,
      timeMs: bodyMsMax,
      scheduler,
    }).finally(() => {
      arriving--;
    });
    if (body.kind === 'too_large') return reply(413, { reason: 'batch_too_large' });
    if (body.kind === 'too_slow') return reply(408, { reason: 'body_timeout' });
    if (body.kind === 'broken') return reply(400, { reason: 'malformed_batch' });
    const { status, ...said } = receiver.admit(body.text, body.bytes);
    return reply(status, said);
  });
}

function reply(
  status: number,
  { reason, detail }: { readonly reason: string; readonly detail?: string },
): Response {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  // The server does not wait for the rest of the body.
  if (status >= 400) headers['connection'] = 'close';
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 405) headers['allow'] = 'POST';
  if (status === 429) headers['retry-after'] = '1';
  return new Response(JSON.stringify({ reason, detail }), { status, headers });
}
