/** The schema endpoints (docs/http.md): the committed schema, its difference from a desired schema, and migrations. */

import { Elysia } from 'elysia';
import { permits } from '#access';
import { type Catalog, policyHash, schemaHash, toPolicyDocument, toSchemaDocument } from '#catalog';
import type { RequestFacts } from '#engine';
import { fail } from '#failure';
import { requireSchema } from '#schema';
import { checkCompatibilityRequest, checkMigrateRequest, checkSchemaRequest } from '#wire';
import type { HttpContext } from '../context.ts';
import { requireWriter } from '../edge/access.ts';
import { parseBody, readBody } from '../edge/body.ts';
import { encodeExact } from '../edge/exact-json.ts';
import { checkNoParameters } from '../edge/parameters.ts';
import { jsonReply, noContent } from '../edge/reply.ts';
import { requestFacts, withTicket } from '../edge/request-facts.ts';

const raw = { parse: 'none' } as const;

export function schemaRoutes(context: HttpContext) {
  return new Elysia({ name: 'schema' })
    .get('/schema', async ({ request }) => {
      const catalog = await context.engine().durableCatalog();
      const { scopes } = context.authority.principalOf(request);
      const policies = permits(scopes, 'schema') ? policiesOf(catalog) : {};
      return jsonReply(encodeExact({ ...identityOf(catalog), ...policies }));
    })
    .post('/schema/diff', ({ request }) => answerDiff(context, request), raw)
    .post('/schema/migrate', ({ request }) => answerMigrate(context, request), raw)
    .post('/schema/compatibility', ({ request }) => answerCompatibility(context, request), raw);
}

/** The file name in messages, because the request contains none. */
const fileName = 'svc.schema.yaml';

async function answerDiff(context: HttpContext, request: Request): Promise<Response> {
  const engine = context.engine();
  const facts = migrationFacts(context, request);
  const { schema } = checkSchemaRequest(await bodyOf(context, request, facts));
  const [desired, diff] = await withTicket(context, facts, async (requestContext) => {
    const parsed = await engine.schema.read(schema, fileName, requestContext);
    const { catalog, policies } = requireSchema(parsed);
    return [catalog, await engine.schema.diff(catalog, policies, requestContext)];
  });
  const { current, changes, program, destructive, blocking } = diff;
  return jsonReply(
    encodeExact({
      current_version: current.version,
      current_hash: schemaHash(current),
      current_policy_hash: policyHash(current),
      desired_hash: schemaHash(desired),
      changes,
      program,
      destructive,
      blocking,
    }),
  );
}

async function answerMigrate(context: HttpContext, request: Request): Promise<Response> {
  const engine = context.engine();
  requireWriter(context, 'migrations');
  const facts = migrationFacts(context, request);
  const body = checkMigrateRequest(await bodyOf(context, request, facts));
  requireDatabase(engine.identity, body.database_id);
  const wish = {
    currentVersion: Number(body.current_version),
    currentHash: body.current_hash,
    currentPolicyHash: body.current_policy_hash,
    acceptDataLoss: body.accept_data_loss ?? false,
    acceptedLosses: body.accepted_losses,
    beforePolicyChange: () => context.audit?.beginPolicies(request),
  };
  const [desired, migration] = await withTicket(context, facts, async (requestContext) => {
    const parsed = await engine.schema.read(body.schema, fileName, requestContext);
    const { catalog, policies } = requireSchema(parsed);
    const made = await engine.schema.migrate(catalog, { ...wish, policies }, requestContext);
    return [catalog, made];
  });
  const { catalog, changes, transitionIds } = migration;
  const desiredHash = schemaHash(desired);
  return jsonReply(
    encodeExact({
      ...identityOf(catalog),
      policy_hash: policyHash(catalog),
      changes,
      desired_hash: desiredHash,
      state: schemaHash(catalog) === desiredHash ? 'ready' : 'converging',
      transition_ids: transitionIds,
    }),
  );
}

/**
 * Returns the facts of a request without a deadline. Migrations and diffs can read all rows, so only a disconnect or a
 * shutdown ends them.
 */
function migrationFacts(context: HttpContext, request: Request): RequestFacts {
  return { ...requestFacts(context, request), isUnlimited: true };
}

/** Throws if the migration was computed for another database. The address may lead to another database by now. */
function requireDatabase(identity: string, meant: string | undefined): void {
  if (meant === undefined || meant === identity) return;
  throw fail(
    'serializable_conflict',
    `the schema was compared with database ${meant}, but this is database ${identity}; compare again`,
  );
}

async function answerCompatibility(context: HttpContext, request: Request): Promise<Response> {
  const engine = context.engine();
  const facts = requestFacts(context, request);
  const body = checkCompatibilityRequest(await bodyOf(context, request, facts));
  const catalog = await engine.durableCatalog();
  const given = Number(body.schema_version);
  if (given === catalog.version && body.schema_hash === schemaHash(catalog)) return noContent();
  const at = `the server is at schema version ${catalog.version}`;
  if (given < catalog.version) {
    throw fail('schema_client_outdated', `${at}, the client is at ${given}; regenerate the client`);
  }
  if (given > catalog.version) {
    throw fail(
      'schema_server_outdated',
      `${at}, the client is at ${given}; migrate the database of the server`,
    );
  }
  throw fail(
    'schema_history_diverged',
    `${at} like the client, but with another schema; the client was generated for another database`,
  );
}

/** Reads and parses the body within the deadline of the request. Later work has a separate request context. */
async function bodyOf(
  context: HttpContext,
  request: Request,
  facts: RequestFacts,
): Promise<unknown> {
  const text = await readBody(request, 'application/json', context);
  checkNoParameters(request.url);
  return withTicket(context, facts, async ({ budget }) => parseBody(context, text, budget));
}

/** Returns the policies as in a schema file, if there are any. */
function policiesOf(catalog: Catalog) {
  const { policies } = catalog;
  return {
    policy_hash: policyHash(catalog),
    ...(policies && { policies: toPolicyDocument(catalog, policies) }),
  };
}

function identityOf(catalog: Catalog) {
  return {
    schema_version: catalog.version,
    schema_hash: schemaHash(catalog),
    schema: toSchemaDocument(catalog),
  };
}
