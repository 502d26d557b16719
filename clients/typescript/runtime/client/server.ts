/** One server as the client uses it: programs by POST, relations by QUERY with entity tags. */

import type { AnswerCache, Kept } from './cache.ts';
import { type CachedQuery, cachedQuery } from './cached-query.ts';
import { type Channel, json, type ReadAnswer, type Request } from './channel.ts';
import { TransportError } from './errors.ts';
import type { SchemaGuard } from './guard.ts';
import type { CallOptions } from './options.ts';
import { request } from './request.ts';
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
  /** `parameters` follow the path; `more` are further headers, which may depend on the token. */
  execute(
    compiled: Compiled,
    call?: CallOptions,
    parameters?: string,
    more?: (token: string) => Readonly<Record<string, string>> | undefined,
  ): Promise<Executed>;
  /** What is kept of a query, asked for anew: the same object as before, or as `last`, when nothing that it was made of has changed. */
  fresh(compiled: Compiled, call?: CallOptions, last?: Kept): Promise<Kept>;
}

type Ask = (
  compiled: Compiled,
  call: CallOptions | undefined,
  sent: Pick<Request, 'method' | 'url' | 'body' | 'headers' | 'isUsable'>,
) => Promise<ReadAnswer>;

export function serverAt(
  origin: string,
  channel: Channel,
  guard: SchemaGuard,
  cache: AnswerCache,
): Server {
  const url = `${origin}/execute`;
  const ask: Ask = ({ name, kind, readOnly, locate }, call, sent) =>
    request(channel, { name, kind, readOnly, locate, before: guard.ready, ...sent }, call).catch(
      async (error) => {
        await guard.review(error);
        throw error;
      },
    );
  const execute: Server['execute'] = async (compiled, call, parameters = '', more) => {
    const { value, isShort } = await ask(compiled, call, {
      method: 'POST',
      url: url + parameters,
      body: compiled.body,
      headers: (token) => ({ ...json(), ...more?.(token) }),
      isUsable: (found) => Object.hasOwn(Object(found), 'result'),
    });
    return { answer: value as ProgramAnswer, isShort };
  };
  return { execute, fresh: freshFrom(url, ask, execute, cache) };
}

function freshFrom(
  url: string,
  ask: Ask,
  execute: Server['execute'],
  cache: AnswerCache,
): Server['fresh'] {
  /** A proxy on the way does not know the method QUERY. */
  let takesNoQuery = false;
  return async (compiled, call, last) => {
    const cached = cachedQuery(cache, url, compiled, last);
    if (!takesNoQuery) {
      try {
        return await queried(url, ask, compiled, call, cached);
      } catch (error) {
        const status = error instanceof TransportError && error.status;
        if (status !== 405 && status !== 501) throw error;
        takesNoQuery = true;
      }
    }
    const { answer, isShort } = await execute(compiled, call, '', (token) => {
      cached.find(token);
      return undefined;
    });
    const { result: value } = answer;
    return cached.keep({ value, isShort, text: JSON.stringify(value) }, null);
  };
}

async function queried(
  url: string,
  ask: Ask,
  compiled: Compiled,
  call: CallOptions | undefined,
  { find, keep }: CachedQuery,
): Promise<Kept> {
  let kept: Kept | undefined;
  const answer = await ask(compiled, call, {
    method: 'QUERY',
    url,
    body: compiled.relationBody,
    headers: (token) => {
      kept = find(token);
      return kept?.tag ? { ...relation, 'if-none-match': kept.tag } : relation;
    },
    isUsable: (found) => found !== undefined,
  });
  return answer.status === 304 && kept ? kept : keep(answer, answer.headers.get('etag'));
}
