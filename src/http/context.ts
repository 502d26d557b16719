/** What every route needs, made once per application. */

import type { Clock, Random, Scheduler } from '#base';
import type { Engine } from '#engine';
import { fail } from '#failure';
import type { ProgramMeter, RequestMeter } from '#observe';
import type { RequestTrace, Tracing } from '#telemetry';
import { Activity } from './edge/activity.ts';
import { ArrivingBodies } from './edge/arrivals.ts';
import type { BodyLimits } from './edge/body.ts';
import { BodyTurns } from './edge/body-turns.ts';
import { Cors } from './edge/cors.ts';
import { EdgeCounters } from './edge/counters.ts';
import { OneAtATime } from './edge/one-at-a-time.ts';
import type { ConnectionPressure } from './edge/pressure.ts';
import { AnswerSender } from './edge/send-answer.ts';
import { type SendContinue, Transport } from './edge/transport.ts';
import { TurnShare } from './edge/turn-share.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { DiagnosticsLevel } from './program/diagnostics.ts';
import type { ProgramLog } from './program/program-log.ts';
import { RelationCache, type RelationLimits } from './program/relations/relation-cache.ts';
import { SharedAnswers } from './program/relations/shared-answers.ts';
import { Templates } from './program/templates.ts';

interface HttpLimits extends BodyLimits {
  /** Of large answers that their readers have not taken yet. */
  readonly unsentBytesMax: number;
  /** Of one result, encoded. */
  readonly resultBytesMax: number;
  /** Of all bodies on their way in. */
  readonly arrivingBytesMax: number;
}

/** What is counted of requests, and all instruments as text. */
interface HttpMetrics {
  readonly requests: RequestMeter;
  readonly programs: ProgramMeter;
  text(): string;
}

export interface HttpOptions {
  readonly lifecycle: Lifecycle;
  readonly limits: HttpLimits;
  readonly random: Random;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Told every failure that is the server's own, with the incident number that the client gets. */
  readonly onInternalError: (incident: string, error: unknown, request: Request) => void;
  readonly onProbeFailed?: (path: string, reason: string) => void;
  /** Told of each answer that was broken off because its reader took too little. */
  readonly onReaderClosed?: (takenBytes: number, bytes: number) => void;
  /** Told of so many bytes that are garbage from now on. */
  readonly letGo?: (bytes: number) => void;
  /** Of answers that are kept; absent: none are, and none are shared. */
  readonly relations?: RelationLimits | undefined;
  /** Pages of these origins may call. */
  readonly corsOrigins?: readonly string[];
  /** Absent where nothing is measured: then there is no `/metrics` either. */
  readonly metrics?: HttpMetrics | undefined;
  /** Absent where nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Counters of what processes tell each other; undefined where there is no such thing. */
  readonly relay?:
    | (() => Readonly<Record<string, string | number | boolean>> | undefined)
    | undefined;
  /** Absent where nobody wants to hear of programs. */
  readonly programLog?: ProgramLog | undefined;
  /** The most that a request may ask for; absent: nothing. */
  readonly diagnostics?: DiagnosticsLevel;
  /** Time without a request after which a connection is closed (default 75,000). */
  readonly keepAliveMs?: number;
  /** Absent: clients that the runtime does not ask for their bodies send them when they have waited long enough. */
  readonly sendContinue?: SendContinue;
  /** Of connections; `normal` where nobody counts them. */
  readonly pressure?: () => ConnectionPressure;
}

export interface HttpContext extends HttpOptions {
  readonly pressure: () => ConnectionPressure;
  readonly cors: Cors;
  readonly activity: Activity;
  /** Undefined where that is turned off. */
  readonly shared: SharedAnswers | undefined;
  readonly arrivals: ArrivingBodies;
  readonly bodyTurns: BodyTurns;
  readonly catalogTurns: TurnShare;
  /** Of programs that are not known by their text. */
  readonly programTurns: TurnShare;
  readonly parsing: OneAtATime;
  readonly transport: Transport;
  readonly answers: AnswerSender;
  readonly counters: EdgeCounters;
  /** Of requests that are traced. */
  readonly traces: WeakMap<Request, RequestTrace>;
  /** Where the open engine's prepared programs are found by their text. */
  templates(): Templates;
  /** The open engine; before that, a 503 that says so. */
  engine(): Engine;
  /** A fresh incident number, for an internal failure and its log line. */
  incident(): string;
}

export function httpContext(options: HttpOptions): HttpContext {
  const { clock, scheduler, limits, letGo, onReaderClosed, relations, keepAliveMs } = options;
  const counters = new EdgeCounters();
  const activity = new Activity();
  let templates: Templates | undefined;
  const engine = () => {
    const { engine } = options.lifecycle;
    if (engine !== undefined) return engine;
    throw fail('storage_unavailable', 'the database is not open', {
      status: 503,
      retryAfterSeconds: 1,
    });
  };
  return {
    ...options,
    pressure: options.pressure ?? (() => 'normal'),
    cors: new Cors(options.corsOrigins ?? []),
    activity,
    shared: relations && sharedAnswers(relations, counters, options),
    arrivals: new ArrivingBodies({ scheduler, counters, activity, ...limits }),
    bodyTurns: new BodyTurns(scheduler),
    catalogTurns: new TurnShare(clock, scheduler, (waiting) => {
      counters.catalogChangesWaiting = waiting;
    }),
    programTurns: new TurnShare(clock, scheduler, (waiting) => {
      counters.programsWaiting = waiting;
    }),
    parsing: new OneAtATime(),
    transport: new Transport(keepAliveMs, options.sendContinue),
    answers: new AnswerSender({ scheduler, counters, letGo, onReaderClosed, ...limits }),
    counters,
    traces: new WeakMap(),
    templates: () => {
      const { plans } = engine();
      if (templates?.plans !== plans) templates = new Templates(plans, counters);
      return templates;
    },
    engine,
    incident: () => options.random.fill(new Uint8Array(8)).toHex(),
  };
}

function sharedAnswers(
  limits: RelationLimits,
  { relations }: EdgeCounters,
  { clock, letGo }: HttpOptions,
): SharedAnswers | undefined {
  if (limits.bytesMax === 0) return undefined;
  return new SharedAnswers(new RelationCache(limits, relations, letGo), clock);
}
