/** API keys and the permissions of the client (docs/http.md). */

import { Elysia } from 'elysia';
import { grantsOf, grantTexts, identityOf, isKeyId, parseDuration } from '#access';
import { repeatsMember } from '#authentication';
import { fail } from '#failure';
import { checkKeyRequest, checkKeyRotation } from '#wire';
import type { HttpContext } from '../context.ts';
import { requireWriter } from '../edge/access.ts';
import { checkMediaTypeIfGiven, parseBody, readBody } from '../edge/body.ts';
import { checkNoParameters, pathnameOf } from '../edge/parameters.ts';
import { jsonReply, noContent } from '../edge/reply.ts';
import { requestFacts, withTicket } from '../edge/request-facts.ts';

const raw = { parse: 'none' } as const;

/** The responses contain secrets or facts about them, which no cache may store. */
const uncached = { 'cache-control': 'no-store' };

export function keyRoutes(context: HttpContext) {
  return new Elysia({ name: 'keys' })
    .get('/auth/self', ({ request }) => self(context, request))
    .get('/auth/keys', ({ request }) => list(context, request))
    .post('/auth/keys', ({ request }) => create(context, request), raw)
    .delete('/auth/keys/:key', ({ request }) => revoke(context, request), raw)
    .post('/auth/keys/:key/rotate', ({ request }) => rotate(context, request), raw);
}

function self(context: HttpContext, request: Request): Response {
  checkNoParameters(request.url);
  const principal = context.authority.principalOf(request);
  const { kind, scopes, visibility } = principal;
  const { catalog, keys } = context.engine();
  const key = kind === 'key' ? keys.current.find(principal.id) : undefined;
  const { expiresAtMs } = key ?? principal;
  const info = {
    kind,
    ...(kind !== 'open' && identityOf(principal)),
    scopes: [...scopes],
    ...(visibility.grants && { grants: grantTexts(grantsOf(visibility.grants), catalog) }),
    policies: visibility.policies,
    ...(expiresAtMs !== undefined && { expires_at: new Date(expiresAtMs).toISOString() }),
  };
  return jsonReply(JSON.stringify(info), 200, uncached);
}

async function list(context: HttpContext, request: Request): Promise<Response> {
  checkNoParameters(request.url);
  const keys = await context.engine().keys.list();
  return jsonReply(JSON.stringify(keys), 200, uncached);
}

async function create(context: HttpContext, request: Request): Promise<Response> {
  const by = creatorOf(context, request);
  const wish = checkKeyRequest(await bodyOf(context, request));
  const principal = context.authority.principalOf(request);
  const created = await context.engine().keys.create(wish, by, principal);
  context.audit?.createdKey(request, created.id);
  return jsonReply(JSON.stringify(created), 201, uncached);
}

async function revoke(context: HttpContext, request: Request): Promise<Response> {
  requireWriter(context, 'changes of keys');
  checkMediaTypeIfGiven(request.headers, 'application/json');
  checkNoParameters(request.url);
  const hasOtherAdmins = context.keys?.tokensCanBeAdmins === true;
  const principal = context.authority.principalOf(request);
  await context.engine().keys.revoke(idOf(request), principal, { hasOtherAdmins });
  return noContent();
}

async function rotate(context: HttpContext, request: Request): Promise<Response> {
  const by = creatorOf(context, request);
  const hasBody = request.body !== null;
  if (!hasBody) checkMediaTypeIfGiven(request.headers, 'application/json');
  const { grace } = checkKeyRotation(hasBody ? await bodyOf(context, request) : {});
  const graceMs = grace === undefined ? undefined : parseDuration(grace);
  if (grace !== undefined && graceMs === undefined) {
    const detail = 'invalid grace: expected a duration such as 90s, 15m, 24h or 30d';
    throw fail('invalid', detail, { location: { pointer: '/grace' } });
  }
  const principal = context.authority.principalOf(request);
  const created = await context.engine().keys.rotate(idOf(request), by, principal, graceMs);
  context.audit?.createdKey(request, created.id);
  return jsonReply(JSON.stringify(created), 201, uncached);
}

/** Returns the creator of a new key. Throws if the client may not create keys, before the body is read. */
function creatorOf(context: HttpContext, request: Request): string {
  requireWriter(context, 'changes of keys');
  const principal = context.authority.principalOf(request);
  if (principal.kind !== 'open') return principal.id;
  if (context.keys?.refusesOpenClients !== true) return 'open';
  const detail =
    'this server can be reached from outside without authentication, so it creates no keys; create the first key with `svc key create --storage-path`, then start the server with --auth keys';
  throw fail('insufficient_scope', detail);
}

async function bodyOf(context: HttpContext, request: Request): Promise<unknown> {
  const facts = requestFacts(context, request);
  const text = await readBody(request, 'application/json', context);
  checkNoParameters(request.url);
  return withTicket(context, facts, async ({ budget }) => {
    const parsed = await parseBody(context, text, budget);
    if (!repeatsMember(text)) return parsed;
    const detail =
      'the request contains a member twice, so its meaning depends on the reader; send each member once';
    throw fail('schema_violation', detail, { location: { pointer: '/body' } });
  });
}

/** Returns the id in the path. A path with another text is not repeated, because the text may be a whole key. */
function idOf(request: Request): string {
  const id = pathnameOf(request.url).split('/')[3] as string;
  if (isKeyId(id)) return id;
  const detail = 'unknown key: the id of a key has 12 letters and digits';
  throw fail('not_found', detail, { resource: { kind: 'key' } });
}
