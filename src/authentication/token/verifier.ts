/** Verifies tokens (JWT): form, header and claims first, then the signature. */

import { compactVerify } from 'jose';
import type { Clock } from '#base';
import type { TokenClaims } from './claims.ts';
import type { KeySet, TokenKey } from './key-set.ts';
import { readToken, type UnverifiedToken } from './read-token.ts';
import type { TokenFault, TokenRules } from './rules.ts';

export interface VerifiedToken {
  readonly claims: TokenClaims;
  readonly key: TokenKey;
}

/** The keys of the issuer. */
export interface IssuerKeys {
  readonly current: KeySet;
  /** Whether keys are known. Without them no token can be checked. */
  readonly isReady: boolean;
  /** Reads the keys again, unless that happened recently. Simultaneous calls share one reading. Never rejects. */
  refresh(): Promise<void>;
}

/** Runs a verification, possibly later. */
export type RunVerification = <T>(work: () => Promise<T>) => Promise<T>;

interface VerifierParts {
  readonly rules: TokenRules;
  readonly keys: IssuerKeys;
  readonly clock: Pick<Clock, 'unixMs'>;
  /** Limits how many signatures are checked at the same time. */
  readonly run: RunVerification;
}

export class TokenVerifier {
  private readonly parts: VerifierParts;

  constructor(parts: VerifierParts) {
    this.parts = parts;
  }

  get keys(): IssuerKeys {
    return this.parts.keys;
  }

  async verify(text: string): Promise<VerifiedToken | TokenFault> {
    const { rules, keys, clock, run } = this.parts;
    const token = readToken(text, rules, clock.unixMs());
    if (typeof token === 'string') return token;
    const key = keyFor(token, keys.current) ?? (await this.keyAfterRefresh(token));
    if (key === undefined) return keys.isReady ? 'unknown_key' : 'keys_unavailable';
    if (key.algorithm !== token.header.algorithm) return 'algorithm';
    if (!(await run(() => isSignedBy(token, key)))) return 'signature';
    // The issuer may have withdrawn the key meanwhile.
    return keys.current.includes(key) ? { claims: token.claims, key } : 'key_removed';
  }

  private async keyAfterRefresh(token: UnverifiedToken): Promise<TokenKey | undefined> {
    const { keys } = this.parts;
    await keys.refresh();
    return keyFor(token, keys.current);
  }
}

function keyFor({ header }: UnverifiedToken, keys: KeySet): TokenKey | undefined {
  return header.keyId === undefined ? keys.only(header.algorithm) : keys.find(header.keyId);
}

async function isSignedBy(token: UnverifiedToken, key: TokenKey): Promise<boolean> {
  try {
    await compactVerify(token.text, key.publicKey, { algorithms: [key.algorithm] });
    return true;
  } catch {
    return false;
  }
}
