/** Identifies the clients of the server by the API keys of the open database, and by the tokens of the configured issuer. */

import type { KeySet, Principal } from '#access';
import {
  type AuditLog,
  type KeySource,
  keySourceOf,
  type RefusedRequest,
  RequestCheck,
  TokenVerifier,
  VerificationSlots,
} from '#authentication';
import { routedFetch, type World } from '#base';
import { tableByName } from '#catalog';
import type { Engine } from '#engine';
import type { Authenticator } from '#http';
import type { Log } from '../log.ts';
import { checkKeySetFile, readKeySetFile } from './key-set-file.ts';
import type { TokenConfiguration } from './options.ts';

interface AuthenticationParts {
  readonly acceptsKeys: boolean;
  readonly tokens: TokenConfiguration | undefined;
  /** Returns the open engine. Called only while the database is open. */
  readonly engine: () => Engine;
  readonly world: World;
  readonly log: Log;
  /** Records invalid tokens; `undefined` if there is no audit log. */
  readonly audit: AuditLog | undefined;
}

export class ServerAuthentication implements Authenticator {
  private readonly parts: AuthenticationParts;
  private readonly check: RequestCheck;
  private readonly source: KeySource | undefined;

  constructor(parts: AuthenticationParts) {
    const { acceptsKeys, tokens, engine, world } = parts;
    this.parts = parts;
    this.source = tokens && this.sourceOf(tokens);
    this.check = new RequestCheck({
      clock: world.clock,
      random: world.random,
      ...(acceptsKeys && { keys: (): KeySet => engine().keys.current }),
      ...(tokens && this.source && { tokens: this.tokenCheck(tokens, this.source) }),
      refused: (request) => this.tellRefused(request),
    });
  }

  /** Reads the keys of the issuer. Resolves after the first reading, even if it failed. Throws a `RefusedOption` if other users can write their file. */
  async start(): Promise<void> {
    const { tokens } = this.parts;
    if (tokens?.origin.kind === 'file') checkKeySetFile(tokens.origin.path);
    await this.source?.start();
  }

  stop(): void {
    this.source?.stop();
  }

  authenticate({
    authorization,
    address,
  }: Parameters<Authenticator['authenticate']>[0]): Principal | Promise<Principal> {
    const checked = this.check.check(authorization, address);
    return checked instanceof Promise
      ? checked.then((it) => this.accepted(it))
      : this.accepted(checked);
  }

  private accepted(checked: Awaited<ReturnType<RequestCheck['check']>>): Principal {
    if (checked.kind === 'refused') throw checked.error;
    if (checked.kind === 'key') this.parts.engine().keys.noteUse(checked.id);
    return checked;
  }

  private sourceOf({ origin, rules }: TokenConfiguration): KeySource {
    const { world, log } = this.parts;
    return keySourceOf(origin, {
      world,
      fetch: (url, init) => routedFetch(url, init),
      readFile: readKeySetFile,
      algorithms: rules.algorithms,
      report: (event) => {
        if (event.kind === 'replaced') {
          log.write('info', 'auth.keys_replaced', { keys: event.keys });
          return;
        }
        const { problem, keysRemain } = event;
        log.write('warn', 'auth.jwks_refresh_failed', { error: problem, keys_remain: keysRemain });
      },
    });
  }

  private tokenCheck({ rules, scopeNames, grantsClaim }: TokenConfiguration, keys: KeySource) {
    const { engine, world } = this.parts;
    const slots = new VerificationSlots();
    const verifier = new TokenVerifier({
      rules,
      keys,
      clock: world.clock,
      run: (work) => slots.run(work),
    });
    return {
      issuer: rules.issuer,
      verifier,
      rights: { scopeNames, grantsClaim },
      tables: {
        identity: () => engine().catalog,
        idOf: (name: string) => tableByName(engine().catalog, name)?.id,
      },
    };
  }

  private tellRefused(request: RefusedRequest): void {
    const { reason, address, fault, keyId } = request;
    this.parts.audit?.failed(request);
    this.parts.log.write('debug', 'auth.refused', { reason, address, fault, key_id: keyId });
  }
}
