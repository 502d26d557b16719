/** Parses query and path parameters. */

import { orDidYouMean } from '#base';
import { malformed } from './malformed.ts';

/** The query parameters of a request, by name. */
export type QueryParameters = ReadonlyMap<string, string>;

/** Returns a boolean query parameter. An absent parameter is `false`. Values other than `true` and `false` are refused. */
export function booleanParameter(query: QueryParameters, name: string): boolean {
  const value = query.get(name);
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw malformedParameter(name, 'expected true or false');
}

export function malformedParameter(name: string, expected: string): Error {
  return malformed(`/query/${name}`, `malformed parameter ${name}: ${expected}`);
}

/** Returns the decoded segments of a path. Invalid percent-encoding is refused. */
export function pathSegments(pathname: string, names: readonly string[]): readonly string[] {
  const raw = pathname.split('/').slice(1);
  return raw.map((segment, i) => {
    try {
      return decodeURIComponent(segment);
    } catch (cause) {
      const detail = `malformed parameter: bad percent-encoding in "${segment}"`;
      throw malformed(`/path/${names[i] ?? i}`, detail, cause);
    }
  });
}

/**
 * Returns the query parameters of a request, without building a URL object if it has none. Unknown and repeated
 * parameters are refused: a misspelled `dry-run` must not run the program.
 */
export function parametersOf(url: string, known: readonly string[]): QueryParameters {
  const at = url.indexOf('?');
  if (at < 0) return noParameters;
  const search = url.slice(at + 1).split('#', 1)[0] as string;
  checkPercent(search);
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (!known.includes(name)) throw refused(name, unknownParameter(name, known));
    if (query.has(name)) throw refused(name, `parameter ${name} is given twice`);
    query.set(name, value);
  }
  return query;
}

/** Throws if the request has query parameters. */
export function checkNoParameters(url: string): void {
  parametersOf(url, []);
}

function unknownParameter(name: string, known: readonly string[]): string {
  const there =
    known.length === 0 ? 'this operation has no parameters' : `allowed: ${known.join(', ')}`;
  return `unknown parameter ${JSON.stringify(name)}${orDidYouMean(name, known)} (${there})`;
}

function refused(name: string, detail: string): Error {
  return malformed(`/query/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, detail);
}

export function pathnameOf(url: string): string {
  const from = url.indexOf('/', url.indexOf('://') + 3);
  if (from < 0) return '/';
  const at = url.indexOf('?', from);
  return at < 0 ? url.slice(from) : url.slice(from, at);
}

const noParameters: QueryParameters = new Map();

function checkPercent(search: string): void {
  try {
    decodeURIComponent(search.replaceAll('+', ' '));
  } catch (cause) {
    const detail = 'malformed parameter: bad percent-encoding in the query string';
    throw malformed('/query', detail, cause);
  }
}
