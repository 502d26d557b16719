/** Asks a server once whether its schema fits, before anything else is sent to it. */

import { type Channel, json } from './channel.ts';
import { type Problem, SchemaMismatchError, type SvcError } from './errors.ts';
import { request } from './request.ts';
import { differencesOf, type ServerSchema } from './schema-check.ts';
import type { Generated } from './seam.ts';

export interface SchemaGuard {
  /** Resolves once the schema is known to fit; undefined when it is. Rejects with SchemaMismatchError, and when nobody answers. */
  ready(): Promise<void> | undefined;
  /** Looks again where an error may come of a schema that has changed: resolves when it has not, or not for this client. */
  review(error: unknown): Promise<void>;
}

export function guardOf(
  origin: string,
  channel: Channel,
  { version, hash, tables }: Generated,
): SchemaGuard {
  const { schema, on } = channel.options;
  const shared = { name: 'schema check', kind: 'schema', readOnly: true } as const;
  let asked: Promise<void> | undefined;
  let isFit = schema === 'off';
  /** The hash that was told last. */
  let drift = '';

  const ask = async () => {
    try {
      await request(channel, {
        ...shared,
        method: 'POST',
        url: `${origin}/schema/compatibility`,
        body: JSON.stringify({ schema_version: version, schema_hash: hash }),
        headers: json,
        isUsable: (value) => value === undefined,
      });
    } catch (error) {
      if (!(error instanceof SchemaMismatchError) || schema === 'exact') throw error;
      const { value } = await request(channel, {
        ...shared,
        method: 'GET',
        url: `${origin}/schema`,
        headers: () => ({}),
        isUsable: (found) => Array.isArray((found as ServerSchema | undefined)?.schema?.tables),
      });
      const server = value as ServerSchema;
      const { schema_version, schema_hash } = server;
      const differences = schema_hash === hash ? [] : differencesOf(tables, server);
      if (differences.length > 0) throw mismatch(error, differences);
      if (schema_hash !== hash && schema_hash !== drift) {
        drift = schema_hash;
        on?.schemaDrift?.({ schema_version, schema_hash });
      }
    }
    isFit = true;
  };
  const ready = () => {
    if (isFit) return undefined;
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
  return {
    ready,
    review: async (error) => {
      const { reason = '' } = error as { readonly reason?: string };
      if (schema === 'off' || !/^(?:unknown_(?:table|column)|type_mismatch)$/.test(reason)) return;
      isFit = false;
      await ready();
    },
  };
}

function mismatch(error: SvcError, differences: readonly string[]): SchemaMismatchError {
  const detail = `the server's schema does not fit this client: ${differences.join('; ')}`;
  const problem: Problem = { ...(error as Problem), detail };
  return new SchemaMismatchError(problem, { ...error, cause: error }, differences);
}
