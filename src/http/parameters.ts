/** Query and path parameters. */

import { fail } from '#failure';

/** A boolean query parameter: absent is false, anything but `true` and `false` is refused. */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  if (value === null || value === 'false') return false;
  if (value === 'true') return true;
  throw fail('schema_violation', `malformed parameter ${name}: expected true or false`, {
    status: 400,
    location: { pointer: `/query/${name}` },
  });
}

/** The decoded segments of a path; bad percent-encoding is refused. */
export function pathSegments(pathname: string, names: readonly string[]): readonly string[] {
  const raw = pathname.split('/').slice(1);
  return raw.map((segment, i) => {
    try {
      return decodeURIComponent(segment);
    } catch (cause) {
      throw fail('schema_violation', `malformed parameter: bad percent-encoding in "${segment}"`, {
        status: 400,
        location: { pointer: `/path/${names[i] ?? i}` },
        cause,
      });
    }
  });
}

/** The query string of a request without building a URL object for requests that have none. */
export function searchOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  if (at < 0) return noParameters;
  const search = url.slice(at + 1).split('#', 1)[0] as string;
  checkPercent(search);
  return new URLSearchParams(search);
}

export function pathnameOf(url: string): string {
  const from = url.indexOf('/', url.indexOf('://') + 3);
  if (from < 0) return '/';
  const at = url.indexOf('?', from);
  return at < 0 ? url.slice(from) : url.slice(from, at);
}

const noParameters = new URLSearchParams();

function checkPercent(search: string): void {
  try {
    decodeURIComponent(search.replaceAll('+', ' '));
  } catch (cause) {
    throw fail(
      'schema_violation',
      'malformed parameter: bad percent-encoding in the query string',
      {
        status: 400,
        location: { pointer: '/query' },
        cause,
      },
    );
  }
}
