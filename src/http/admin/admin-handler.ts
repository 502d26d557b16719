/**
 * The admin listener (docs/corpus.md, "Admin listener"): routes for the operator of a process, on loopback, without
 * authentication. Requests from web pages of other origins are refused. The checks use the `Host` header and the
 * `Origin` and `Sec-Fetch-Site` headers of browsers.
 */

import type { Engine } from '#engine';
import { fail, toProblem } from '#failure';
import { failureOf } from '../edge/failure-of.ts';
import { HostGuard } from '../edge/host.ts';
import { malformed } from '../edge/malformed.ts';
import { checkNoParameters, pathnameOf, pathSegments } from '../edge/parameters.ts';
import { jsonReply } from '../edge/reply.ts';
import { type TrackedHandler, trackedHandler } from '../edge/tracked-handler.ts';

const corpusPath = '/api/statistics/corpus';
/** The ID of a program in the corpus: the first 16 bytes of the SHA-256 of its document, in hexadecimal. */
const programHash = /^[0-9a-f]{32}$/;

interface AdminOptions {
  /** Returns the open engine, or `undefined` if no database is open. */
  readonly engine: () => Pick<Engine, 'eraseCorpus'> | undefined;
  /** Returns a random incident number. */
  readonly incident: () => string;
  readonly onInternalError: (incident: string, error: unknown, request: Request) => void;
}

export function createAdminHandler({
  engine,
  incident,
  onInternalError,
}: AdminOptions): TrackedHandler {
  const hosts = new HostGuard({ loopbackOnly: true });
  return trackedHandler(async (request) => {
    try {
      hosts.check(request);
      checkOrigin(request);
      const program = erasedProgram(request);
      checkNoParameters(request.url);
      const open = engine();
      if (open === undefined) throw notOpen();
      return await erase(open, program);
    } catch (error) {
      const failure = failureOf(error, incident);
      if (failure.incident !== undefined) onInternalError(failure.incident, error, request);
      const problem = toProblem(failure);
      const headers: Record<string, string> = { 'content-type': 'application/problem+json' };
      if (problem.status === 405) headers['allow'] = 'DELETE';
      if (problem.status === 503) headers['retry-after'] = '1';
      return new Response(JSON.stringify(problem), { status: problem.status, headers });
    }
  });
}

async function erase(
  open: Pick<Engine, 'eraseCorpus'>,
  program: string | undefined,
): Promise<Response> {
  const erasing = open.eraseCorpus(program);
  if (erasing === undefined) {
    const detail =
      'this process has no workload corpus; send the request to the writer of the database';
    throw fail('read_only', detail, { status: 409 });
  }
  const { executions, programs } = await erasing;
  if (program !== undefined && executions + programs === 0) {
    const detail = `the workload corpus has no program ${program}; nothing was changed`;
    throw fail('not_found', detail, { resource: { kind: 'program', name: program } });
  }
  return jsonReply(JSON.stringify({ deleted: executions + programs, executions, programs }));
}

/** Returns the program in the path, or `undefined` for all programs. Throws if the listener does not serve the request. */
function erasedProgram({ url, method }: Request): string | undefined {
  const pathname = pathnameOf(url);
  const isOne = pathname.startsWith(`${corpusPath}/`);
  if (pathname !== corpusPath && !isOne) {
    const detail = `the admin listener has no route ${pathname}`;
    throw fail('not_found', detail, { resource: { kind: 'route', name: pathname } });
  }
  if (method !== 'DELETE') {
    throw fail('method_not_allowed', `${method} is not allowed on ${pathname}; use DELETE`);
  }
  if (!isOne) return undefined;
  const program = pathSegments(pathname.slice(corpusPath.length), ['program']).join('/');
  if (programHash.test(program)) return program;
  const detail = 'malformed parameter program: expected 32 hexadecimal digits in lower case';
  throw malformed('/path/program', detail);
}

function checkOrigin({ headers }: Request): void {
  const site = headers.get('sec-fetch-site') ?? 'none';
  const origin = headers.get('origin');
  const isOwn = origin === null || origin === `http://${headers.get('host')}`;
  if (isOwn && (site === 'none' || site === 'same-origin')) return;
  const detail = 'the admin listener rejects requests from web pages of other origins';
  throw fail('invalid', detail, { status: 403, location: { pointer: '/header/origin' } });
}

function notOpen(): Error {
  const detail = 'the database is not open; nothing was changed; try again later';
  return fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 1 });
}
