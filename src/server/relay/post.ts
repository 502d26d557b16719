/** Posts one batch over HTTP to the writer. */

import { routedFetch, type Scheduler } from '#base';

const answerMsMax = 5_000;
const path = '/internal/statistics/observations';

type Post = (body: string) => Promise<{ readonly status: number; readonly reason: string }>;

interface RelayTarget {
  readonly target: string;
  readonly token: string;
  /** PEM text of the authorities for the target. `undefined`: those of the system. */
  readonly ca: string | undefined;
  /** PEM texts of the certificate that identifies this reader. */
  readonly client: { readonly cert: string; readonly key: string } | undefined;
  readonly scheduler: Scheduler;
}

/**
 * Returns a function that posts a batch. The function rejects if there is no response within the time limit. The function also rejects, before
 * any data is sent, if the target cannot prove its identity by TLS, regardless of environment variables. Redirects are not followed, because the
 * token is for the target only.
 */
export function postTo({ target, token, ca, client, scheduler }: RelayTarget): Post {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const tls = { rejectUnauthorized: true, ...(ca && { ca }), ...client };
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
  return found?.[1] ?? 'the response is not from a relay';
}
