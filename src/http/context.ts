/** The context that all routes share, created once per application. */

import type { AuditLog } from '#authentication';
import type { Clock, Random, Scheduler } from '#base';
import type { Engine } from '#engine';
import { fail } from '#failure';
import type { ProgramMeter, RequestMeter } from '#observe';
import type { RequestTrace, Tracing } from '#telemetry';
import { Activity } from './edge/activity.ts';
import { type Authenticator, Authority } from './edge/authority.ts';
import type { BodyLimits } from './edge/body.ts';
import { BodyTurns } from './edge/body-turns.ts';
import { Cors } from './edge/cors.ts';
import { EdgeCounters } from './edge/counters.ts';
import { IncomingBodies } from './edge/incoming-bodies.ts';
import { OneAtATime } from './edge/one-at-a-time.ts';
import type { ConnectionPressure } from './edge/pressure.ts';
import { ProblemReplies } from './edge/problem-replies.ts';
import { RequestAudit } from './edge/request-audit.ts';
import { AnswerSender } from './edge/send-answer.ts';
import { type SendContinue, Transport } from './edge/transport.ts';
import { type AddressRange, TrustedProxies } from './edge/trusted-proxies.ts';
import { TurnShare } from './edge/turn-share.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { DiagnosticsLevel } from './program/diagnostics.ts';
import type { ProgramLog } from './program/program-log.ts';
import { CoalescedResults } from './program/relations/coalesced-results.ts';
import { RelationCache, type RelationLimits } from './program/relations/relation-cache.ts';
import { Templates } from './program/templates.ts';

interface HttpLimits extends BodyLimits {
  /** Maximum bytes of all large responses that are not fully sent yet. */
  readonly unsentBytesMax: number;
  /** Maximum bytes of one encoded result. */
  readonly resultBytesMax: number;
  /** Maximum bytes of all request bodies that are still being received. */
  readonly arrivingBytesMax: number;
}

/** Meters of requests, and all instruments in the Prometheus text format. */
interface HttpMetrics {
  readonly requests: RequestMeter;
  readonly programs: ProgramMeter;
  text(): string;
}

interface SecureTransport {
  /** Whether browsers may use only TLS for this host from now on (RFC 6797). */
  readonly isStrict: boolean;
}

/** Rules for changes of API keys. */
interface KeyRules {
  /** Whether tokens can have the scope `admin`, so that the last key with this scope can be revoked. */
  readonly tokensCanBeAdmins: boolean;
  /** Whether clients without authentication may not create keys, because the server can be reached from outside. */
  readonly refusesOpenClients: boolean;
}

export interface HttpOptions {
  readonly lifecycle: Lifecycle;
  readonly limits: HttpLimits;
  readonly random: Random;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Called with each internal failure and the incident number that its response contains. */
  readonly onInternalError: (incident: string, error: unknown, request: Request) => void;
  readonly onProbeFailed?: (path: string, reason: string) => void;
  /** Called for each response that was ended because its client read too slowly. */
  readonly onReaderClosed?: (takenBytes: number, bytes: number) => void;
  /** Called with a number of bytes that have become garbage. */
  readonly release?: (bytes: number) => void;
  /** Limits of the relation cache. If absent, results are neither cached nor shared. */
  readonly relations?: RelationLimits | undefined;
  /** Origins whose pages may send requests. */
  readonly corsOrigins?: readonly string[];
  /** If absent, nothing is measured and `/metrics` does not exist. */
  readonly metrics?: HttpMetrics | undefined;
  /** If absent, no request is traced. */
  readonly tracing?: Tracing | undefined;
  /** Returns the counters of the statistics relay. `undefined` if this process has no relay. */
  readonly relay?:
    | (() => Readonly<Record<string, string | number | boolean>> | undefined)
    | undefined;
  /** If absent, programs are not logged. */
  readonly programLog?: ProgramLog | undefined;
  /** The maximum level that a request may ask for. If absent, requests cannot ask for diagnostics. */
  readonly diagnostics?: DiagnosticsLevel;
  /** Time without a request after which a connection is closed (default 75,000). */
  readonly keepAliveMs?: number;
  /** Sends 100 Continue where the runtime does not. If absent, such clients send their bodies only after they have waited long enough. */
  readonly sendContinue?: SendContinue;
  /** If absent, every client is open. */
  readonly authenticator?: Authenticator | undefined;
  /** Requests per second of each principal whose key contains no rate. If absent, the rate is not limited. */
  readonly rateLimit?: number | undefined;
  /** Proxies whose `X-Forwarded-For` header counts. If empty or absent, the header is ignored. */
  readonly trustedProxies?: readonly AddressRange[];
  /** If absent, no request is recorded. */
  readonly auditLog?: AuditLog | undefined;
  /** How clients reach this server by TLS; `undefined` for plain HTTP. */
  readonly secureTransport?: SecureTransport | undefined;
  readonly keys?: KeyRules | undefined;
  /** Returns the pressure of connections: `normal` if connections are not counted. */
  readonly pressure?: () => ConnectionPressure;
}

export interface HttpContext extends HttpOptions {
  readonly pressure: () => ConnectionPressure;
  readonly cors: Cors;
  readonly problems: ProblemReplies;
  readonly authority: Authority;
  /** `undefined` if no request is recorded. */
  readonly audit: RequestAudit | undefined;
  readonly activity: Activity;
  /** The relation cache; `undefined` if it is off. */
  readonly shared: CoalescedResults | undefined;
  readonly arrivals: IncomingBodies;
  readonly bodyTurns: BodyTurns;
  readonly catalogTurns: TurnShare;
  /** Limits the time per event-loop iteration for programs that have no cached plan. */
  readonly programTurns: TurnShare;
  readonly parsing: OneAtATime;
  readonly transport: Transport;
  readonly answers: AnswerSender;
  readonly counters: EdgeCounters;
  /** The traces of the requests that are traced. */
  readonly traces: WeakMap<Request, RequestTrace>;
  /** Returns the templates by which the prepared programs of the open engine are found. */
  templates(): Templates;
  /** Returns the open engine. Throws a 503 failure before the database is open. */
  engine(): Engine;
  /** Returns a new incident number for an internal failure and its log line. */
  incident(): string;
}

export function httpContext(options: HttpOptions): HttpContext {
  const { clock, scheduler, limits, release, onReaderClosed, relations, keepAliveMs } = options;
  const counters = new EdgeCounters();
  const activity = new Activity();
  const transport = new Transport(keepAliveMs, options.sendContinue, proxiesOf(options));
  const address = (request: Request) => transport.address(request);
  const authority = new Authority(options, address);
  const cors = new Cors(options.corsOrigins ?? [], options.authenticator !== undefined);
  const incident = () => options.random.fill(new Uint8Array(8)).toHex();
  const { auditLog: log } = options;
  let templates: Templates | undefined;
  const engine = () => {
    const { engine, refusal = 'the database is not open' } = options.lifecycle;
    if (engine !== undefined) return engine;
    throw fail('storage_unavailable', refusal, {
      status: 503,
      retryAfterSeconds: 1,
    });
  };
  return {
    ...options,
    pressure: options.pressure ?? (() => 'normal'),
    cors,
    problems: new ProblemReplies(cors),
    authority,
    audit: log && new RequestAudit({ log, authority, address, requestId: incident }),
    activity,
    shared: relations && sharedAnswers(relations, counters, options),
    arrivals: new IncomingBodies({ scheduler, counters, activity, ...limits }),
    bodyTurns: new BodyTurns(scheduler),
    catalogTurns: new TurnShare(clock, scheduler, (waiting) => {
      counters.catalogChangesWaiting = waiting;
    }),
    programTurns: new TurnShare(clock, scheduler, (waiting) => {
      counters.programsWaiting = waiting;
    }),
    parsing: new OneAtATime(),
    transport,
    answers: new AnswerSender({ scheduler, counters, release, onReaderClosed, ...limits }),
    counters,
    traces: new WeakMap(),
    templates: () => {
      const { plans } = engine();
      if (templates?.plans !== plans) templates = new Templates(plans, counters);
      return templates;
    },
    engine,
    incident,
  };
}

function proxiesOf({ trustedProxies = [] }: HttpOptions): TrustedProxies | undefined {
  return trustedProxies.length === 0 ? undefined : new TrustedProxies(trustedProxies);
}

function sharedAnswers(
  limits: RelationLimits,
  { relations }: EdgeCounters,
  { clock, release }: HttpOptions,
): CoalescedResults | undefined {
  if (limits.bytesMax === 0) return undefined;
  return new CoalescedResults(new RelationCache(limits, relations, release), clock);
}
