/** One operation: attempts until one is answered, within one deadline. */

import { BuildError } from './build-error.ts';
import { errorOf } from './error-of.ts';
import { OutcomeUnknownError, type Phase, TransportError } from './errors.ts';
import { parseExact } from './exact-json.ts';
import { type Answer, FetchFailure, type Next, type Operation } from './exchange.ts';
import { type Failure, failureIn, silenceOf } from './failure.ts';
import { checkedHeaders, type Tokens } from './headers.ts';
import type { CallOptions, ClientOptions, SpanAttributes } from './options.ts';
import { type Rule, ruleFor, waitMs } from './retry.ts';
import type { World } from './world.ts';

/** What is asked of a server, whatever becomes of it. */
export interface Request {
  readonly name: string;
  readonly kind: Operation['kind'];
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
  /** May depend on the token, the empty text without one. */
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  readonly readOnly: boolean;
  /** Of a pointer into the body, the builder's step. */
  readonly locate?: ((pointer: string) => string) | undefined;
  /** Must be done before anything is sent, such as the check of the schema. */
  readonly before?: (() => Promise<void> | undefined) | undefined;
  /** Whether what was answered with success is what was asked for; something else between may answer too. */
  readonly isUsable: (value: unknown) => boolean;
}

interface ReadAnswer extends Answer {
  /** The JSON of the answer, integers of 16 digits and more as strings; undefined without a body. */
  readonly value: unknown;
  /** No number in the JSON has more than 15 digits. */
  readonly isShort: boolean;
}

/** What all operations of a client share. */
export interface Channel {
  readonly options: ClientOptions;
  readonly world: World;
  readonly exchange: Next;
  readonly tokens: Tokens;
  readonly headers: Readonly<Record<string, string>>;
  /** Gives up what is under way; `close` calls all of them. */
  readonly underWay: Set<() => void>;
  isClosed: boolean;
}

export const json = () => ({ 'content-type': 'application/json' });

/** The answer of status 2xx or 304. Rejects with SvcError, TransportError, and whatever token source and middleware throw. */
export function request(
  channel: Channel,
  asked: Request,
  call: CallOptions = {},
): Promise<ReadAnswer> {
  const { options, world, tokens, underWay } = channel;
  const { readOnly } = asked;
  const { name = asked.name, timeoutMs = options.timeoutMs ?? 30_000 } = call;
  if (!(timeoutMs > 0)) return Promise.reject(new BuildError(`timeoutMs is ${timeoutMs}`));
  const { retry = {}, telemetry } = options;
  const control = new AbortController();
  const { signal } = control;
  const deadline = world.now() + timeoutMs;
  /** Failures that were followed by another attempt, by their rules. */
  const repeated: Rule[] = [];
  let attempts = 0;
  let status = 0;
  let stopped: Phase | undefined;
  /** The last attempt that may have been carried out although nobody has told so. */
  let unclear: Failure | undefined;

  const stop = (phase: Phase) => {
    stopped ??= phase;
    control.abort();
  };
  const abort = () => stop('aborted');

  const errorFor = (failure: Failure): Error => {
    const at = { operation: name, attempts };
    if ('problem' in failure) {
      const { pointer } = failure.problem.location ?? {};
      const step = pointer === undefined ? undefined : asked.locate?.(pointer);
      return errorOf(failure.problem, { ...at, step });
    }
    const { message, ...members } = failure;
    const error = new TransportError(message, { ...at, ...members, sent: !!unclear });
    if (readOnly || !unclear || failure.phase === 'aborted') return error;
    const problem = {
      status: 0,
      code: 'internal',
      reason: 'commit_outcome_unknown',
      detail: `the write may have happened: ${message}`,
    };
    return new OutcomeUnknownError(problem, { ...at, cause: error });
  };
  const stoppedBy = (cause?: unknown): Failure => {
    const phase = stopped ?? 'aborted';
    const ended = channel.isClosed ? 'the client is closed' : 'given up';
    return { phase, message: phase === 'timeout' ? 'no answer in time' : ended, cause };
  };
  /** As `work`; rejects once the operation is given up. */
  const unlessStopped = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const end = () => reject(errorFor(stoppedBy()));
      if (stopped) end();
      signal.addEventListener('abort', end);
      work.then(resolve, reject);
    });

  const once = async (): Promise<ReadAnswer | Failure> => {
    const asking = tokens.get();
    const token =
      typeof asking === 'string'
        ? asking
        : await unlessStopped(asking).finally(() => tokens.forget(asking));
    const own = asked.headers(token);
    const headers: Record<string, string> = { ...channel.headers, ...own };
    if (call.headers) Object.assign(headers, checkedHeaders(call.headers));
    if (token) headers['authorization'] = `Bearer ${token}`;
    telemetry?.inject?.(headers);
    attempts++;
    try {
      const { kind, method, url, body } = asked;
      const operation = { name, kind, method, url, body, attempt: attempts, headers, signal };
      const answer = await channel.exchange(operation);
      status = answer.status;
      // 304 answers a question that has the tag of what is known; where none was asked, something else has answered.
      const isGood = status < 300 || (status === 304 && 'if-none-match' in own);
      return (isGood && read(answer, asked)) || failureIn(answer, world.unixMs());
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      return stopped ? stoppedBy(error.cause) : silenceOf(error.cause);
    }
  };

  const run = async (): Promise<ReadAnswer> => {
    const callOff = world.after(timeoutMs, () => stop('timeout'));
    underWay.add(abort);
    call.signal?.addEventListener('abort', abort);
    try {
      if (call.signal?.aborted || channel.isClosed) abort();
      const before = stopped ? undefined : asked.before?.();
      if (before) await unlessStopped(before);
      let mayAskForToken = tokens.mayChange;
      while (!stopped) {
        const outcome = await once();
        if ('text' in outcome) return outcome;
        const isTokenRefused = 'problem' in outcome && outcome.problem.reason === 'invalid_token';
        if (isTokenRefused && mayAskForToken) {
          mayAskForToken = false;
          continue;
        }
        const rule = ruleFor(outcome);
        if (rule.isUnclear) unclear = outcome;
        const count = repeated.filter((each) => each === rule).length;
        const most = readOnly || (call.idempotent && rule.isUnclear) ? rule.reads : rule.writes;
        const delayMs = waitMs(rule, outcome, repeated.length, retry, world.random());
        const isOver = count >= most || attempts >= (retry.attempts ?? 6);
        if (isOver || stopped || world.now() + delayMs >= deadline) {
          // What the server thinks of this attempt tells nothing of an earlier one, unless the data is what it finds fault with.
          throw errorFor((!readOnly && rule.baseMs && unclear) || outcome);
        }
        repeated.push(rule);
        let wake = () => {};
        const pause = new Promise<void>((resolve) => {
          wake = world.after(delayMs, resolve);
        });
        await unlessStopped(pause).finally(wake);
      }
      throw errorFor(stoppedBy());
    } finally {
      callOff();
      underWay.delete(abort);
      call.signal?.removeEventListener('abort', abort);
    }
  };

  if (!telemetry?.span) return run();
  const attributes = { 'db.operation.name': name, 'db.system.name': 'svc' };
  return telemetry.span(name, attributes, async (end) => {
    const seen: Record<string, SpanAttributes[string]> = {};
    try {
      return await run();
    } catch (error) {
      const { reason, phase, name: type } = error as Error & { reason?: string; phase?: string };
      seen['error.type'] = reason ?? phase ?? type;
      throw error;
    } finally {
      if (status > 0) seen['http.response.status_code'] = status;
      end({ ...seen, attempts });
    }
  });
}

const nothing = { value: undefined, isShort: true };

/** Undefined when what was answered cannot be what was asked for. */
function read({ status, headers, text }: Answer, { isUsable }: Request): ReadAnswer | undefined {
  try {
    const { value, isShort } = text === '' ? nothing : parseExact(text);
    const isGood = status === 304 || isUsable(value);
    return isGood ? { status, headers, text, value, isShort } : undefined;
  } catch {
    return undefined;
  }
}
