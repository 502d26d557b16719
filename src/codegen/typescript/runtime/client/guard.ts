/** Asks a server once whether its schema fits, before anything else is sent to it. */

import { type Channel, request } from './attempts.ts';
import { type Problem, SchemaMismatchError, type SvcError } from './errors.ts';
import { differencesOf, type ServerSchema } from './schema-check.ts';
import type { Generated } from './seam.ts';

export class SchemaGuard {
  private readonly channel: Channel;
  private readonly origin: string;
  private readonly generated: Generated;
  private asked: Promise<void> | undefined;
  private isFit = false;

  constructor(channel: Channel, origin: string, generated: Generated) {
    this.channel = channel;
    this.origin = origin;
    this.generated = generated;
    this.isFit = channel.options.schema === 'off';
  }

  /** Resolves once the schema is known to fit; undefined when it is. Rejects with SchemaMismatchError, and when nobody answers. */
  ready(): Promise<void> | undefined {
    if (this.isFit) return undefined;
    this.asked ??= this.ask().finally(() => {
      this.asked = undefined;
    });
    return this.asked;
  }

  /** Looks again where an error may come of a schema that has changed: resolves when it has not, or not for this client. */
  async review(error: unknown): Promise<void> {
    const { reason } = error as { readonly reason?: string };
    if (this.channel.options.schema === 'off') return;
    if (!/^(?:unknown_table|unknown_column|type_mismatch)$/.test(reason ?? '')) return;
    this.isFit = false;
    await this.ready();
  }

  private async ask(): Promise<void> {
    const { version, hash, tables } = this.generated;
    const { options } = this.channel;
    const name = 'schema check';
    const shared = { name, kind: 'schema', readOnly: true } as const;
    const json = { 'content-type': 'application/json' };
    try {
      await request(this.channel, {
        ...shared,
        method: 'POST',
        url: `${this.origin}/schema/compatibility`,
        body: JSON.stringify({ schema_version: version, schema_hash: hash }),
        headers: json,
        isUsable: (value) => value === undefined,
      });
    } catch (error) {
      if (!(error instanceof SchemaMismatchError) || options.schema === 'exact') throw error;
      const { value } = await request(this.channel, {
        ...shared,
        method: 'GET',
        url: `${this.origin}/schema`,
        headers: {},
        isUsable: (found) => Array.isArray((found as ServerSchema | undefined)?.schema?.tables),
      });
      const server = value as ServerSchema;
      if (server.schema_hash !== hash) {
        const differences = differencesOf(tables, server);
        if (differences.length > 0) throw mismatch(error, differences);
        this.tell(server);
      }
    }
    this.isFit = true;
  }

  private lastDrift = '';

  /** Once for each schema. */
  private tell({ schema_version, schema_hash }: ServerSchema): void {
    if (this.lastDrift === schema_hash) return;
    this.lastDrift = schema_hash;
    this.channel.options.on?.schemaDrift?.({ schema_version, schema_hash });
  }
}

function mismatch(error: SvcError, differences: readonly string[]): SchemaMismatchError {
  const detail = `the server's schema does not fit this client: ${differences.join('; ')}`;
  const problem: Problem = { ...(error as Problem), detail };
  return new SchemaMismatchError(problem, { ...error, cause: error }, differences);
}
