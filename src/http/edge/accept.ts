/** Checks the header `Accept` of a QUERY request. */

import { fail } from '#failure';

/** Throws unless the header is absent or empty, or accepts JSON or a wildcard with a quality above 0. */
export function checkAccept(accept: string | null): void {
  if (accept === null || accept.trim() === '') return;
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim()));
  const quality = new Map(
    ranges.map(([type, ...parameters]) => [type?.toLowerCase() ?? '', qualityOf(parameters)]),
  );
  for (const type of ['application/json', 'application/*', '*/*']) {
    const q = quality.get(type);
    if (q === undefined) continue;
    if (q > 0) return;
    break;
  }
  throw fail(
    'schema_violation',
    `the result is application/json, which Accept: ${accept} excludes`,
    {
      status: 406,
      location: { pointer: '/header/accept' },
    },
  );
}

function qualityOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.toLowerCase().startsWith('q='));
  return q === undefined ? 1 : Number(q.slice(2));
}
