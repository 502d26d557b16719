/** Parses `--cors-origin`, the origins of web pages that may send requests. */

import { type Option, refusal } from './option.ts';

/** Scheme, host and a port that is not the default of the scheme: the form in which a browser writes an origin. */
const originPattern = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** Returns exact origins, or `*` alone for all origins, which needs authentication: other pages have no access token of the user. */
export function corsOriginsOf(option: Option, hasAuthentication: boolean): readonly string[] {
  if (option.value === undefined) return [];
  const origins = option.value.split(',').map((origin) => origin.trim());
  if (hasAuthentication && option.value.trim() === '*') return ['*'];
  if (origins.includes('*') && hasAuthentication)
    throw refusal(option, '* alone, or exact origins');
  if (origins.includes('*')) {
    const why =
      'without authentication every page that a user of this machine visits could read and change all data';
    throw refusal(option, `exact origins; * is not allowed, because ${why}`);
  }
  if (origins.every(isExact)) return origins;
  throw refusal(option, 'exact origins such as https://app.example, as a browser sends them');
}

function isExact(origin: string): boolean {
  const isDefaultPort = /^http:.*:80$|^https:.*:443$/.test(origin);
  return originPattern.test(origin) && !isDefaultPort;
}
