/** One operation: attempts until one is answered, within one deadline. */

import type { Channel, ReadAnswer, Request } from './channel.ts';
import { errorOf } from './error-of.ts';
import { OutcomeUnknownError, type Phase, TransportError } from './errors.ts';
import { parseExact } from './exact-json.ts';
import { type Answer, FetchFailure } from './exchange.ts';
import { type Failure, failureIn, silenceOf } from './failure.ts';
import { checkedHeaders } from './headers.ts';
import type { CallOptions } from './options.ts';
import { type Rule, ruleFor, waitMs } from './retry.ts';

export class Attempts {
  count = 0;
  /** The status of the last answer; 0 before one. */
  status = 0;
  readonly #channel: Channel;
  readonly #asked: Request;
  readonly #call: CallOptions;
  readonly #timeoutMs: number;
  readonly #deadline: number;
  readonly #control = new AbortController();
  /** Failures that were followed by another attempt, by their rules. */
  readonly #repeated: Rule[] = [];
  #stopped: Phase | undefined;
  /** The last attempt that may have been carried out although nobody has told so. */
  #unclear: Failure | undefined;

  constructor(channel: Channel, asked: Request, call: CallOptions, timeoutMs: number) {
    this.#channel = channel;
    this.#asked = asked;
    this.#call = call;
    this.#timeoutMs = timeoutMs;
    this.#deadline = channel.world.now() + timeoutMs;
  }

  /** Makes the attempts, once. */
  async run(): Promise<ReadAnswer> {
    const { world, underWay, isClosed } = this.#channel;
    const { signal } = this.#call;
    const abort = () => this.#stop('aborted');
    const callOff = world.after(this.#timeoutMs, () => this.#stop('timeout'));
    underWay.add(abort);
    signal?.addEventListener('abort', abort);
    try {
      if (signal?.aborted || isClosed) abort();
      return await this.#untilAnswered();
    } finally {
      callOff();
      underWay.delete(abort);
      signal?.removeEventListener('abort', abort);
    }
  }

  async #untilAnswered(): Promise<ReadAnswer> {
    const before = this.#stopped ? undefined : this.#asked.before?.();
    if (before) await this.#unlessStopped(before);
    let mayAskForToken = this.#channel.tokens.mayChange;
    while (!this.#stopped) {
      const outcome = await this.#once();
      if ('text' in outcome) return outcome;
      const isTokenRefused = 'problem' in outcome && outcome.problem.reason === 'invalid_token';
      if (isTokenRefused && mayAskForToken) mayAskForToken = false;
      else await this.#pauseAfter(outcome);
    }
    throw this.#errorFor(this.#ending());
  }

  async #once(): Promise<ReadAnswer | Failure> {
    const { exchange, world } = this.#channel;
    const { name, kind, method, url, body, headers: ownFor, isUsable } = this.#asked;
    const asking = this.#token();
    const token = typeof asking === 'string' ? asking : await asking;
    const own = ownFor(token);
    const headers = this.#headers(token, own);
    const attempt = ++this.count;
    const { signal } = this.#control;
    try {
      const operation = { name, kind, method, url, body, attempt, headers, signal };
      const answer = await exchange(operation);
      const { status } = answer;
      this.status = status;
      // 304 answers a question that has the tag of what is known; where none was asked, something else has answered.
      const isGood = status < 300 || (status === 304 && 'if-none-match' in own);
      return (isGood && read(answer, isUsable)) || failureIn(answer, world.unixMs());
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      return this.#stopped ? this.#ending(error.cause) : silenceOf(error.cause);
    }
  }

  #token(): string | Promise<string> {
    const { tokens } = this.#channel;
    const asking = tokens.get();
    if (typeof asking === 'string') return asking;
    return this.#unlessStopped(asking).finally(() => tokens.forget(asking));
  }

  #headers(token: string, own: Readonly<Record<string, string>>): Record<string, string> {
    const { headers: shared, options } = this.#channel;
    const headers: Record<string, string> = { ...shared, ...own };
    const given = this.#call.headers;
    if (given) Object.assign(headers, checkedHeaders(given));
    if (token) headers['authorization'] = `Bearer ${token}`;
    options.telemetry?.inject?.(headers);
    return headers;
  }

  /** Waits until the next attempt is due. Rejects when there is none. */
  async #pauseAfter(failure: Failure): Promise<void> {
    const { options, world } = this.#channel;
    const { retry = {} } = options;
    const { readOnly } = this.#asked;
    const rule = ruleFor(failure);
    if (rule.isUnclear) this.#unclear = failure;
    const repeated = this.#repeated;
    const count = repeated.filter((each) => each === rule).length;
    const most = readOnly || (this.#call.idempotent && rule.isUnclear) ? rule.reads : rule.writes;
    const delayMs = waitMs(rule, failure, repeated.length, retry, world.random());
    const isOver = count >= most || this.count >= (retry.attempts ?? 6);
    if (isOver || this.#stopped || world.now() + delayMs >= this.#deadline) {
      // What the server thinks of this attempt tells nothing of an earlier one, unless the data is what it finds fault with.
      throw this.#errorFor((!readOnly && rule.baseMs && this.#unclear) || failure);
    }
    repeated.push(rule);
    let wake = () => {};
    const pause = new Promise<void>((resolve) => {
      wake = world.after(delayMs, resolve);
    });
    await this.#unlessStopped(pause).finally(wake);
  }

  #stop(phase: Phase): void {
    this.#stopped ??= phase;
    this.#control.abort();
  }

  /** As `work`; rejects once the operation is given up. */
  #unlessStopped<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => reject(this.#errorFor(this.#ending()));
      if (this.#stopped) end();
      this.#control.signal.addEventListener('abort', end);
      work.then(resolve, reject);
    });
  }

  #ending(cause?: unknown): Failure {
    const phase = this.#stopped ?? 'aborted';
    const ended = this.#channel.isClosed ? 'the client is closed' : 'given up';
    return { phase, message: phase === 'timeout' ? 'no answer in time' : ended, cause };
  }

  #errorFor(failure: Failure): Error {
    const { name, locate, readOnly } = this.#asked;
    const at = { operation: name, attempts: this.count };
    if ('problem' in failure) {
      const { pointer } = failure.problem.location ?? {};
      const step = pointer === undefined ? undefined : locate?.(pointer);
      return errorOf(failure.problem, { ...at, step });
    }
    const { message, ...members } = failure;
    const error = new TransportError(message, { ...at, ...members, sent: !!this.#unclear });
    if (readOnly || !this.#unclear || failure.phase === 'aborted') return error;
    const problem = {
      status: 0,
      code: 'internal',
      reason: 'commit_outcome_unknown',
      detail: `the write may have happened: ${message}`,
    };
    return new OutcomeUnknownError(problem, { ...at, cause: error });
  }
}

const nothing = { value: undefined, isShort: true };

/** Undefined when what was answered cannot be what was asked for. */
function read(
  { status, headers, text }: Answer,
  isUsable: Request['isUsable'],
): ReadAnswer | undefined {
  try {
    const { value, isShort } = text === '' ? nothing : parseExact(text);
    const isGood = status === 304 || isUsable(value);
    return isGood ? { status, headers, text, value, isShort } : undefined;
  } catch {
    return undefined;
  }
}
