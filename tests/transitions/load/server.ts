/** Requests to the server under check: what may be refused is counted, anything else that is unexpected is wrong. */

import type { Law } from './law.ts';
import type { Program } from './programs.ts';

export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly text: string;
  readonly result: readonly Readonly<Record<string, unknown>>[];
}

export class WrongAnswer extends Error {}

export class Server {
  readonly url: string;
  private readonly law: Law;
  answers = 0;
  longestMs = 0;
  /** By reason: how many programs were refused for a transition or a race. */
  readonly refusals = new Map<string, number>();

  constructor(url: string, law: Law) {
    this.url = url;
    this.law = law;
  }

  /** Undefined: refused, as the specification allows, and nothing has happened. */
  async run(program: Program, isWrite: boolean): Promise<Answer | undefined> {
    const { gates, gate } = this.law;
    const sentMs = performance.now();
    const { status, text, headers } = await this.send('POST', '/execute', program);
    this.longestMs = Math.max(this.longestMs, performance.now() - sentMs);
    this.answers++;
    const { result, reason = '' } = JSON.parse(text) as {
      result?: Answer['result'];
      reason?: string;
    };
    if (status === 409) {
      const mayBeShut = gate !== undefined || this.law.gates !== gates;
      const isAllowed =
        isWrite &&
        (reason === 'serializable_conflict' ||
          (reason === 'schema_transition_finalizing' && mayBeShut && headers.has('retry-after')));
      if (!isAllowed) this.wrong('no refusal', program, `${status} ${text}`);
      this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
      return undefined;
    }
    if (status !== 200 && status !== 422) this.wrong('200 or 422', program, `${status} ${text}`);
    return { status, reason, text, result: result ?? [] };
  }

  /** For what the check itself needs: repeated while it is refused. */
  async ensure(program: Program): Promise<Answer> {
    for (;;) {
      const answer = await this.run(program, true);
      if (answer === undefined) continue;
      if (answer.status !== 200) this.wrong('200', program, answer.text);
      return answer;
    }
  }

  async get(path: string): Promise<unknown> {
    const { text } = await this.ok('GET', path);
    return JSON.parse(text);
  }

  async ok(method: string, path: string, body?: object) {
    const reply = await this.send(method, path, body);
    if (reply.status !== 200) this.wrong('200', { method, path }, reply.text);
    return reply;
  }

  wrong(wanted: string, request: object, got: string): never {
    const shown = JSON.stringify(request).slice(0, 1500);
    throw new WrongAnswer(`wanted ${wanted}\n     got ${got.slice(0, 1500)}\n     for ${shown}`);
  }

  private async send(method: string, path: string, body?: object) {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}
