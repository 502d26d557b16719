/**
 * The Elysia application: routes, problems, limits, probes.
 *
 * This module converts requests to engine calls and failures to problem documents. The module makes no decision about data.
 * `routes/route-table.ts` lists the public routes, `app.ts` combines them, and `handler.ts` wraps them. Start reading at `program/exchange.ts`,
 * which runs programs and queries. A request is checked in this order: route, method, diagnostics header, write access, mode, media type, size,
 * parameters, body.
 */

export { createAdminHandler } from './admin/admin-handler.ts';
export type { Activity } from './edge/activity.ts';
export type { Authenticator } from './edge/authority.ts';
export type { EdgeCounters } from './edge/counters.ts';
export { describeChain } from './edge/failure-of.ts';
export type { ConnectionPressure } from './edge/pressure.ts';
export type { SendContinue } from './edge/transport.ts';
export type { AddressRange } from './edge/trusted-proxies.ts';
export { createHandler, type Handler, type HandlerOptions } from './handler.ts';
export { createInternalHandler } from './internal/internal-handler.ts';
export type { Lifecycle, LiveReason, ReadyReason, StartupReason } from './lifecycle.ts';
export { type DiagnosticsLevel, diagnosticsLevels } from './program/diagnostics.ts';
export type { ProgramLog, ProgramReport } from './program/program-log.ts';
export type { RelationLimits } from './program/relations/relation-cache.ts';
