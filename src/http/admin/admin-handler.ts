/**
 * The admin listener (docs/corpus.md, "Admin listener"): routes for the operator of a process, on loopback, without authentication. Requests of web pages
 * from elsewhere are refused: by the name that they were made to, and by what browsers say of where they come from.
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
/** A program of the corpus: the first 16 bytes of the SHA-256 of its document. */
const programHash = /^[0-9a-f]{32}$/;

interface AdminOptions {
  /** The database that is open; undefined while there is none. */
  readonly engine: () => Pick<Engine, 'eraseCorpus'> | undefined;
  /** Draws the number of an incident. */
  readonly incident: () => string;
  readonly onInternalError: (incident: string, error: unknown, request: Request) => void;
}

export function createAdminHandler({
  engine,
  incident,
  onInternalError,
}: AdminOptions): TrackedHandler {
  const hosts = new HostGuard(true);
  return trackedHandler(async (request) => {
    try {
      hosts.check(request.headers);
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
    const detail = 'this process owns no workload corpus: the writer of the database has it';
    throw fail('read_only', detail, { status: 409 });
  }
  const { executions, programs } = await erasing;
  if (program !== undefined && executions + programs === 0) {
    const detail = `the workload corpus has no program ${program}; nothing was changed`;
    throw fail('not_found', detail, { resource: { kind: 'program', name: program } });
  }
  return jsonReply(JSON.stringify({ deleted: executions + programs, executions, programs }));
}

/** The program of the path, undefined for all of them. Throws where the request is not one of this listener. */
function erasedProgram({ url, method }: Request): string | undefined {
  const pathname = pathnameOf(url);
  const isOne = pathname.startsWith(`${corpusPath}/`);
  if (pathname !== corpusPath && !isOne) {
    const detail = `there is nothing at ${pathname} on the admin listener`;
    throw fail('not_found', detail, { resource: { kind: 'route', name: pathname } });
  }
  if (method !== 'DELETE') {
    throw fail('method_not_allowed', `${method} is not a method of ${pathname}: DELETE is`);
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
  const detail = 'the admin listener answers no requests of web pages from elsewhere';
  throw fail('invalid', detail, { status: 403, location: { pointer: '/header/origin' } });
}

function notOpen(): Error {
  const detail = 'the database is not open yet, or no longer; nothing was changed';
  return fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 1 });
}
