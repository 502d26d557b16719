/** One server as the client uses it: programs by POST, relations by QUERY with entity tags. */

import { type Channel, type Read, request } from './attempts.ts';
import { type AnswerCache, type DeepReadonly, deepFreeze } from './cache.ts';
import { TransportError } from './errors.ts';
import type { SchemaGuard } from './guard.ts';
import type { CallOptions } from './options.ts';
import type { Compiled } from './seam.ts';

const json = { 'content-type': 'application/json' };
const relation = { 'content-type': 'application/vnd.svc.lir+json', accept: 'application/json' };

/** The answer to a program. */
interface ProgramAnswer {
  readonly result: unknown;
  readonly statements: readonly unknown[];
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

  async run<T>(compiled: Compiled<T>, options?: CallOptions): Promise<T> {
    return compiled.decode((await this.execute(compiled, options)).result);
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
      isUsable: (found: unknown) => Object.hasOwn(Object(found), 'result'),
    });
    return value as ProgramAnswer;
  }

  /** The same object as long as the rows that it was made of stay as they are. */
  async cached<T>(compiled: Compiled<T>, options?: CallOptions): Promise<DeepReadonly<T>> {
    const { relationBody = '' } = compiled;
    await this.channel.tokens.get();
    const key = `${this.url}\n${this.channel.tokens.current}\n${relationBody}`;
    const kept = this.cache.get(key);
    const keep = (value: unknown, tag: string | undefined, text: string) => {
      const frozen = deepFreeze(compiled.decode(value));
      const bytes = 2 * (key.length + text.length * (tag === undefined ? 2 : 1));
      this.cache.set(key, {
        tag,
        text: tag === undefined ? text : undefined,
        value: frozen,
        bytes,
      });
      return frozen;
    };
    if (!this.takesNoQuery) {
      try {
        const { status, headers, value, text } = await this.ask(compiled, options, {
          method: 'QUERY',
          url: this.url,
          body: relationBody,
          headers: kept?.tag ? { ...relation, 'if-none-match': kept.tag } : relation,
          isUsable: (found: unknown) => found !== undefined,
        });
        const tag = headers.get('etag') ?? undefined;
        const isSame = status === 304 || (tag !== undefined && tag === kept?.tag);
        if (isSame && kept) return kept.value as DeepReadonly<T>;
        return keep(value, tag, text);
      } catch (error) {
        const isRefused =
          error instanceof TransportError && /^(?:405|501)$/.test(`${error.status}`);
        if (!isRefused) throw error;
        this.takesNoQuery = true;
      }
    }
    const { result } = await this.execute(compiled, options);
    const text = JSON.stringify(result);
    if (kept?.text === text) return kept.value as DeepReadonly<T>;
    return keep(result, undefined, text);
  }

  private async ask(
    { name, kind, readOnly, locate }: Compiled,
    options: CallOptions | undefined,
    sent: Pick<Parameters<typeof request>[1], 'method' | 'url' | 'body' | 'headers' | 'isUsable'>,
  ): Promise<Read> {
    try {
      return await request(
        this.channel,
        { name, kind, readOnly, locate, before: () => this.guard.ready(), ...sent },
        options,
      );
    } catch (error) {
      await this.guard.review(error);
      throw error;
    }
  }
}
