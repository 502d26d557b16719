/** One server as the client uses it: programs by POST, relations by QUERY with entity tags. */

import { type Channel, json, type Request, request } from './attempts.ts';
import { type AnswerCache, deepFreeze, type Kept } from './cache.ts';
import { TransportError } from './errors.ts';
import type { SchemaGuard } from './guard.ts';
import type { CallOptions } from './options.ts';
import type { Compiled } from './seam.ts';

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

/** With what `decode` wants to know of it. */
interface Executed {
  readonly answer: ProgramAnswer;
  readonly isShort: boolean;
}

export interface Server {
  /** `parameters` follow the path; `more` are further headers. */
  execute(
    compiled: Compiled,
    call?: CallOptions,
    parameters?: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<Executed>;
  /** What is kept of a query, asked for anew: the same object as before, or as `last`, when nothing that it was made of has changed. */
  fresh(compiled: Compiled, call?: CallOptions, last?: Kept): Promise<Kept>;
}

export function serverAt(
  origin: string,
  channel: Channel,
  guard: SchemaGuard,
  cache: AnswerCache,
): Server {
  const url = `${origin}/execute`;
  /** A proxy on the way does not know the method QUERY. */
  let takesNoQuery = false;

  const ask = (
    { name, kind, readOnly, locate }: Compiled,
    call: CallOptions | undefined,
    sent: Pick<Request, 'method' | 'url' | 'body' | 'headers' | 'isUsable'>,
  ) =>
    request(channel, { name, kind, readOnly, locate, before: guard.ready, ...sent }, call).catch(
      async (error) => {
        await guard.review(error);
        throw error;
      },
    );

  const post = async (
    compiled: Compiled,
    call: CallOptions | undefined,
    prepare?: (token: string) => void,
    parameters = '',
    more: Readonly<Record<string, string>> = {},
  ): Promise<Executed> => {
    const { value, isShort } = await ask(compiled, call, {
      method: 'POST',
      url: url + parameters,
      body: compiled.body,
      headers: (token) => {
        prepare?.(token);
        return { ...json(), ...more };
      },
      isUsable: (found) => Object.hasOwn(Object(found), 'result'),
    });
    return { answer: value as ProgramAnswer, isShort };
  };

  const fresh: Server['fresh'] = async (compiled, call, last) => {
    const { relationBody = '' } = compiled;
    let key = '';
    let kept: Kept | undefined;
    /** Of a token; who has another one may see another result. */
    const find = (token: string) => {
      key = `${url}\n${token}\n${relationBody}`;
      kept = cache.get(key) ?? (last?.key === key ? last : undefined);
      return kept;
    };
    const keep = (value: unknown, isShort: boolean, text: string, tag: string | null) => {
      // Somebody else may have asked at the same time: it is one result, and one object.
      const known = cache.get(key);
      if (known && (tag ? known.tag === tag : known.text === text)) return known;
      const bytes = 2 * (key.length + 2 * text.length);
      const now = { key, tag, text, value: deepFreeze(compiled.decode(value, isShort)), bytes };
      cache.set(now);
      return now;
    };
    if (!takesNoQuery) {
      try {
        const { status, headers, value, isShort, text } = await ask(compiled, call, {
          method: 'QUERY',
          url,
          body: relationBody,
          headers: (token) => {
            const tag = find(token)?.tag;
            return tag ? { ...relation, 'if-none-match': tag } : relation;
          },
          isUsable: (found) => found !== undefined,
        });
        const tag = headers.get('etag');
        return kept && (status === 304 || (tag && tag === kept.tag))
          ? kept
          : keep(value, isShort, text, tag);
      } catch (error) {
        const status = error instanceof TransportError && error.status;
        if (status !== 405 && status !== 501) throw error;
        takesNoQuery = true;
      }
    }
    const { answer, isShort } = await post(compiled, call, find);
    const { result } = answer;
    const text = JSON.stringify(result);
    return kept?.text === text ? kept : keep(result, isShort, text, null);
  };

  return {
    execute: (compiled, call, parameters, more) =>
      post(compiled, call, undefined, parameters, more),
    fresh,
  };
}
