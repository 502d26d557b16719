/** One server as the client uses it: programs by POST, relations by QUERY with entity tags. */

import { type Channel, type Read, type Request, request } from './attempts.ts';
import { type AnswerCache, deepFreeze, type Kept } from './cache.ts';
import { TransportError } from './errors.ts';
import type { SchemaGuard } from './guard.ts';
import type { CallOptions } from './options.ts';
import type { Compiled } from './seam.ts';

const json = { 'content-type': 'application/json' };
const relation = { 'content-type': 'application/vnd.svc.lir+json', accept: 'application/json' };

/** The answer to a program. */
export interface ProgramAnswer {
  readonly result: unknown;
  readonly statements: readonly {
    readonly name: string;
    readonly affected: number;
    readonly control: unknown;
  }[];
  readonly plan?: unknown;
  readonly _svc?: { readonly diagnostics?: unknown };
}

export class Server {
  private readonly channel: Channel;
  private readonly guard: SchemaGuard;
  private readonly url: string;
  private readonly cache: AnswerCache;
  /** A proxy on the way does not know the method QUERY. */
  private takesNoQuery = false;

  constructor(channel: Channel, origin: string, guard: SchemaGuard, cache: AnswerCache) {
    this.channel = channel;
    this.guard = guard;
    this.url = `${origin}/execute`;
    this.cache = cache;
  }

  /** `parameters` follow the path; `more` are further headers. */
  async execute(
    compiled: Compiled,
    options?: CallOptions,
    parameters = '',
    more?: Readonly<Record<string, string>>,
  ): Promise<ProgramAnswer> {
    const { value } = await this.ask(compiled, options, {
      method: 'POST',
      url: this.url + parameters,
      body: compiled.body,
      headers: more ? { ...json, ...more } : json,
      isUsable: (found) => Object.hasOwn(Object(found), 'result'),
    });
    return value as ProgramAnswer;
  }

  /** What is kept of a query, asked for anew: the same object as before, or as `last`, when nothing that it was made of has changed. */
  async fresh(compiled: Compiled, options?: CallOptions, last?: Kept): Promise<Kept> {
    const { channel, cache } = this;
    const { relationBody = '' } = compiled;
    await channel.tokens.get();
    const key = `${this.url}\n${channel.tokens.current}\n${relationBody}`;
    const kept = cache.get(key) ?? (last?.key === key ? last : undefined);
    const keep = (value: unknown, text: string, tag: string | null) => {
      const bytes = 2 * (key.length + 2 * text.length);
      const now = { key, tag, text, value: deepFreeze(compiled.decode(value)), bytes };
      cache.set(now);
      return now;
    };
    if (!this.takesNoQuery) {
      try {
        const { status, headers, value, text } = await this.ask(compiled, options, {
          method: 'QUERY',
          url: this.url,
          body: relationBody,
          headers: kept?.tag ? { ...relation, 'if-none-match': kept.tag } : relation,
          isUsable: (found) => found !== undefined,
        });
        const tag = headers.get('etag');
        return kept && (status === 304 || (tag && tag === kept.tag))
          ? kept
          : keep(value, text, tag);
      } catch (error) {
        const status = error instanceof TransportError && error.status;
        if (status !== 405 && status !== 501) throw error;
        this.takesNoQuery = true;
      }
    }
    const { result } = await this.execute(compiled, options);
    const text = JSON.stringify(result);
    return kept?.text === text ? kept : keep(result, text, null);
  }

  private async ask(
    { name, kind, readOnly, locate }: Compiled,
    options: CallOptions | undefined,
    sent: Pick<Request, 'method' | 'url' | 'body' | 'headers' | 'isUsable'>,
  ): Promise<Read> {
    const before = () => this.guard.ready();
    try {
      const asked = { name, kind, readOnly, locate, before, ...sent };
      return await request(this.channel, asked, options);
    } catch (error) {
      await this.guard.review(error);
      throw error;
    }
  }
}
