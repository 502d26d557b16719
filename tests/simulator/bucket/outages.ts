/**
 * What a client may call an outage. A request that takes longer than its patience is as good as a lost one, and a pause of the process may be
 * what takes so long: only the client's own end of the line tells.
 */

import { type S3Transport, s3Defaults } from '../../../src/storage/object/s3/options.ts';
import type { Life } from '../life.ts';

/** `transport`; counts the requests of `life` whose attempts all failed, one after the other: a useful response ends the count of a request. */
export function countingOutages(transport: S3Transport, life: Life): S3Transport {
  const vain = new Map<string, number>();
  return async (url, init) => {
    const { signal } = init;
    const request = `${init.method} ${url} ${rangeOf(init)}`;
    const count = (): void => {
      const attempts = (vain.get(request) ?? 0) + 1;
      vain.set(request, attempts);
      if (attempts === s3Defaults.attemptsMax) life.outages++;
    };
    signal?.addEventListener('abort', count);
    const response = await transport(url, init);
    if (signal?.aborted === true) return response;
    if (await isUseful(init, response)) vain.delete(request);
    else count();
    return response;
  };
}

function rangeOf({ headers }: RequestInit): string {
  return (headers as Record<string, string>)['range'] ?? '';
}

/** Neither refused for the moment nor cut short. */
async function isUseful({ method }: RequestInit, response: Response): Promise<boolean> {
  const { status, headers } = response;
  if (status === 409 || status === 429 || status >= 500) return false;
  const announced = headers.get('content-length');
  if (method === 'HEAD' || announced === null) return true;
  return Number(announced) === (await response.arrayBuffer()).byteLength;
}
