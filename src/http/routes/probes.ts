/** The probes. The server responds to them in every state of the process, without access to storage (docs/monitoring.md). */

import { Elysia } from 'elysia';
import type { HttpContext } from '../context.ts';
import { jsonReply } from '../edge/reply.ts';

const passing = new Set(['live', 'serving', 'started']);

export function isProbe(pathname: string): boolean {
  return pathname === '/livez' || pathname === '/readyz' || pathname === '/startupz';
}

/** Returns whether the route is served even under overload. Such routes do not wait and need hardly any memory. */
export function isControl(pathname: string): boolean {
  return isProbe(pathname) || pathname === '/healthz' || pathname === '/metrics';
}

export function probeRoutes({ lifecycle, onProbeFailed }: HttpContext) {
  const probe = (path: string, reason: string): Response => {
    const isPassing = passing.has(reason);
    if (!isPassing) onProbeFailed?.(path, reason);
    return jsonReply(JSON.stringify({ reason }), isPassing ? 200 : 503);
  };
  return new Elysia({ name: 'probes' })
    .get('/livez', () => probe('/livez', lifecycle.live()))
    .get('/readyz', () => probe('/readyz', lifecycle.ready()))
    .get('/startupz', () => probe('/startupz', lifecycle.startup()));
}
