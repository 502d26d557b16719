/** One operation: attempts until one is answered, within one deadline. */

import { errorOf } from './error-of.ts';
import { OutcomeUnknownError, TransportError } from './errors.ts';
import { parseExact } from './exact-json.ts';
import { type Answer, FetchFailure, type Next, type Operation } from './exchange.ts';
import { type Failure, failureIn, type Silence, silenceOf } from './failure.ts';
import { checkedHeaders, type Tokens } from './headers.ts';
import type { CallOptions, ClientOptions, SpanAttributes } from './options.ts';
import { Retries } from './retry.ts';
import type { World } from './world.ts';

/** What is asked of a server, whatever becomes of it. */
export interface Request {
  readonly name: string;
  readonly kind: Operation['kind'];
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly readOnly: boolean;
  /** Of a pointer into the body, the builder's step. */
  readonly locate?: ((pointer: string) => string) | undefined;
  /** Must be done before anything is sent, such as the check of the schema. */
  readonly before?: (() => Promise<void> | undefined) | undefined;
  /** Whether what was answered with success is what was asked for; something else between may answer too. */
  readonly isUsable?: ((value: unknown) => boolean) | undefined;
}

export interface Read extends Answer {
  /** The JSON of the answer, integers of 16 digits and more as strings; undefined without a body. */
  readonly value: unknown;
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

const timeoutMsDefault = 30_000;

/** The answer of status 2xx or 304. Throws SvcError, TransportError, and whatever token source and middleware throw. */
export function request(
  channel: Channel,
  asked: Request,
  options: CallOptions = {},
): Promise<Read> {
  const operation = new Attempts(channel, asked, options);
  const { telemetry } = channel.options;
  if (!telemetry?.span) return operation.run();
  const attributes = { 'db.operation.name': operation.name, 'db.system.name': 'svc' };
  return telemetry.span(operation.name, attributes, async (end) => {
    try {
      return await operation.run();
    } catch (error) {
      operation.seen['error.type'] =
        (error as { reason?: string }).reason ??
        (error as { phase?: string }).phase ??
        (error as Error).name;
      throw error;
    } finally {
      end({ ...operation.seen, attempts: operation.attempt });
    }
  });
}

class Attempts {
  readonly name: string;
  readonly seen: { -readonly [name in keyof SpanAttributes]: SpanAttributes[name] } = {};
  attempt = 0;
  private readonly channel: Channel;
  private readonly asked: Request;
  private readonly options: CallOptions;
  private readonly control = new AbortController();
  private readonly retries: Retries;
  private stopped: 'timeout' | 'aborted' | undefined;

  constructor(channel: Channel, asked: Request, options: CallOptions) {
    this.channel = channel;
    this.asked = asked;
    this.options = options;
    this.name = options.name ?? asked.name;
    this.retries = new Retries(channel.options.retry ?? {});
  }

  async run(): Promise<Read> {
    const { channel, options, asked } = this;
    const { world, underWay } = channel;
    const timeoutMs = options.timeoutMs ?? channel.options.timeoutMs ?? timeoutMsDefault;
    const deadline = world.now() + timeoutMs;
    const abort = () => this.stop('aborted');
    const callOff = world.after(timeoutMs, () => this.stop('timeout'));
    underWay.add(abort);
    options.signal?.addEventListener('abort', abort);
    try {
      if (options.signal?.aborted || channel.isClosed) abort();
      const before = this.stopped ? undefined : asked.before?.();
      if (before) await Promise.race([before, this.whenStopped()]);
      return await this.untilAnswered(deadline);
    } finally {
      callOff();
      underWay.delete(abort);
      options.signal?.removeEventListener('abort', abort);
    }
  }

  private async untilAnswered(deadline: number): Promise<Read> {
    const { world, tokens } = this.channel;
    const repeatable = {
      readOnly: this.asked.readOnly,
      idempotent: this.options.idempotent === true,
    };
    let mayAskForToken = tokens.mayChange;
    for (;;) {
      const outcome = await this.once();
      if ('text' in outcome) return outcome;
      if (mayAskForToken && 'problem' in outcome && outcome.problem.reason === 'invalid_token') {
        mayAskForToken = false;
        continue;
      }
      const delayMs = this.retries.delayAfter(outcome, this.attempt, repeatable, world.random);
      const hasTime = delayMs !== undefined && world.now() + delayMs < deadline;
      if (!hasTime || this.stopped) throw this.errorOf(outcome);
      await this.wait(delayMs);
    }
  }

  /** One request; what it is answered, or how it failed. */
  private async once(): Promise<Read | Failure> {
    const { asked, channel, options } = this;
    if (this.stopped) throw this.silent({ phase: this.stopped, message: '' });
    const waiting = channel.tokens.get();
    const token =
      typeof waiting === 'string' ? waiting : await Promise.race([waiting, this.whenStopped()]);
    const headers: Record<string, string> = { ...channel.headers, ...asked.headers };
    if (options.headers) Object.assign(headers, checkedHeaders(options.headers));
    if (token) headers['authorization'] = `Bearer ${token}`;
    channel.options.telemetry?.inject?.(headers);
    this.attempt++;
    try {
      const answer = await channel.exchange({
        name: this.name,
        kind: asked.kind,
        method: asked.method,
        url: asked.url,
        body: asked.body,
        attempt: this.attempt,
        headers,
        signal: this.control.signal,
      });
      const { status } = answer;
      this.seen['http.response.status_code'] = status;
      const isGood = (status >= 200 && status < 300) || status === 304;
      return (isGood && this.read(answer)) || failureIn(answer, channel.world.unixMs());
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      if (!this.stopped) return silenceOf(error.cause);
      return { phase: this.stopped, message: '', cause: error.cause };
    }
  }

  private read({ status, headers, text }: Answer): Read | undefined {
    try {
      const value = text === '' ? undefined : parseExact(text);
      const isUsable = status === 304 || (this.asked.isUsable?.(value) ?? true);
      return isUsable ? { status, headers, text, value } : undefined;
    } catch {
      return undefined;
    }
  }

  private stop(why: 'timeout' | 'aborted'): void {
    this.stopped ??= why;
    this.control.abort();
  }

  /** Rejects once the operation is given up. */
  private whenStopped(): Promise<never> {
    return new Promise((_, reject) => {
      const { signal } = this.control;
      const end = () => reject(this.silent({ phase: this.stopped ?? 'aborted', message: '' }));
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });
  }

  private wait(delayMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const callOff = this.channel.world.after(delayMs, resolve);
      this.control.signal.addEventListener('abort', () => {
        callOff();
        reject(this.silent({ phase: this.stopped ?? 'aborted', message: '' }));
      });
    });
  }

  private errorOf(failure: Failure): Error {
    if (!('problem' in failure)) return this.silent(failure);
    const { problem } = failure;
    const pointer = problem.location?.pointer;
    const step = pointer === undefined ? undefined : this.asked.locate?.(pointer);
    return errorOf(problem, { operation: this.name, attempts: this.attempt, step });
  }

  /** No answer: of a write that may have happened, that its outcome is unknown. */
  private silent({ phase, message, cause, status }: Silence): Error {
    const sent = this.retries.outcomeUnclear;
    const text =
      phase === 'timeout' ? 'no answer in time' : phase === 'aborted' ? 'given up' : message;
    const at = { operation: this.name, attempts: this.attempt, cause };
    const error = new TransportError(text, {
      ...at,
      phase,
      sent,
      ...(status === undefined ? {} : { status }),
    });
    if (this.asked.readOnly || !sent || phase === 'aborted') return error;
    const problem = {
      type: 'urn:svc:problem:internal',
      title: 'Internal Server Error',
      status: 0,
      code: 'internal',
      reason: 'commit_outcome_unknown',
      detail: `the write may have happened: ${text}`,
    };
    return new OutcomeUnknownError(problem, { ...at, cause: error });
  }
}
