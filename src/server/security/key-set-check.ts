/** Checks the key set of the token issuer: whether it can be read, and the clock by the time of the issuer. */

import { loadKeysFrom, parseKeys } from '#authentication';
import { routedFetch, type World } from '#base';
import { readKeySetFile } from '../authentication/key-set-file.ts';
import type { ServeConfiguration } from '../configuration.ts';
import type { SecurityCheck } from './checks.ts';

interface KeySetParts {
  readonly world: Pick<World, 'clock' | 'scheduler'>;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** The server accepts tokens with times that differ by 60 s. Half of it is a warning. */
const skewMsMax = 30_000;

export async function keySetCheck(
  { authentication: { tokens } }: ServeConfiguration,
  { world, fetch: send = routedFetch }: KeySetParts,
): Promise<SecurityCheck> {
  const name = 'jwks';
  if (tokens === undefined) {
    return { name, status: 'pass', message: 'the server accepts no tokens', details: {} };
  }
  let skewMs: number | undefined;
  const load = loadKeysFrom(tokens.origin, {
    fetch: async (url, init) => {
      const response = await send(url, init);
      skewMs = skewOf(response.headers, world.clock.unixMs());
      return response;
    },
    readFile: readKeySetFile,
    scheduler: world.scheduler,
  });
  try {
    const keys = await parseKeys(await load(), tokens.rules.algorithms, []);
    const details = { keys: keys.length, clock_skew_ms: skewMs };
    if (keys.length === 0) {
      const message = `the key set contains no key for ${[...tokens.rules.algorithms].join(', ')}; every token would be refused`;
      return { name, status: 'fail', message, details };
    }
    if (skewMs !== undefined && Math.abs(skewMs) > skewMsMax) {
      const message = `the clock is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of the issuer; synchronize it, because tokens are refused beyond 60 s`;
      return { name, status: 'warning', message, details };
    }
    const count = keys.length === 1 ? 'one usable key' : `${keys.length} usable keys`;
    return { name, status: 'pass', message: `the key set contains ${count}`, details };
  } catch (error) {
    return { name, status: 'fail', message: (error as Error).message, details: {} };
  }
}

/** Returns the time by which the clock is ahead of that of the server. A cache sends the time of the original response and its `Age`. */
function skewOf(headers: Headers, nowMs: number): number | undefined {
  const sentMs = unixMsOf(headers.get('date') ?? '');
  return sentMs && nowMs - sentMs - 1000 * Number(headers.get('age') ?? 0);
}

const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** Parses a date of HTTP: `Fri, 01 May 2026 10:00:00 GMT`. */
function unixMsOf(text: string): number | undefined {
  const found = /^\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/.exec(text);
  if (found === null) return undefined;
  const [, day, month = '', year, hours, minutes, seconds] = found;
  const number = months.indexOf(month) / 3;
  if (!Number.isInteger(number) || number < 0) return undefined;
  return Date.UTC(Number(year), number, ...[day, hours, minutes, seconds].map(Number));
}
