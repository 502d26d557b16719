/** One batch over HTTP to the writer. */

import { routedFetch, type Scheduler } from '#base';

const answerMsMax = 5_000;
const path = '/internal/statistics/observations';

type Post = (body: string) => Promise<{ readonly status: number; readonly reason: string }>;

interface RelayTarget {
  readonly target: string;
  readonly token: string;
  /** PEM of the authorities that vouch for the target; undefined: those of the system. */
  readonly ca: string | undefined;
  readonly scheduler: Scheduler;
}

/**
 * Rejects when there is no answer in time, and before anything is sent where the target cannot prove by TLS who it is, whatever the environment says of that.
 * Redirects are not followed: the token is for the target alone.
 */
export function postTo({ target, token, ca, scheduler }: RelayTarget): Post {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const tls = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  return async (body) => {
    const ended = new AbortController();
    const timer = scheduler.after(answerMsMax, () => ended.abort());
    try {
      const { signal } = ended;
      const options = { method: 'POST', headers, body, signal, redirect: 'manual', tls } as const;
      const response = await routedFetch(target + path, options);
      const text = await response.text();
      return { status: response.status, reason: reasonOf(text) };
    } finally {
      timer.cancel();
    }
  };
}

function reasonOf(text: string): string {
  const found = /^\{"reason":"([a-z_]{1,64})"/.exec(text);
  return found?.[1] ?? 'an answer that is not of a relay';
}
