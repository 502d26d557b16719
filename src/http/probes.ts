/** The probes: answered in every state of the process, without touching storage (operations.md §1). */

import { Elysia } from 'elysia';
import type { Lifecycle } from './lifecycle.ts';
import { jsonReply } from './reply.ts';

const passing = new Set(['live', 'serving', 'started']);

export function probeRoutes(lifecycle: Lifecycle) {
  return new Elysia({ name: 'probes' })
    .get('/livez', () => probe(lifecycle.live()))
    .get('/readyz', () => probe(lifecycle.ready()))
    .get('/startupz', () => probe(lifecycle.startup()));
}

function probe(reason: string): Response {
  return jsonReply(JSON.stringify({ reason }), passing.has(reason) ? 200 : 503);
}
