/** The rules for the tokens of one issuer, and the faults that a token can have. */

export const tokenAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const;

export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/** `rfc9068`: access tokens with an explicit type. `compatible`: issuers that do not set the type of an access token. */
export type TokenProfile = 'rfc9068' | 'compatible';

export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: ReadonlySet<TokenAlgorithm>;
  readonly profile: TokenProfile;
}

/** The first fault of a refused token, for logs only: every response to a refused token is the same. */
export type TokenFault =
  | 'form'
  | 'header'
  | 'header_member'
  | 'algorithm'
  | 'key_id'
  | 'type'
  | 'claims'
  | 'issuer'
  | 'audience'
  | 'expiry'
  | 'expired'
  | 'lifetime'
  | 'issued_at'
  | 'issued_later'
  | 'not_before'
  | 'not_yet_valid'
  | 'subject'
  | 'client_id'
  | 'token_id'
  | 'other_token'
  | 'unknown_key'
  | 'keys_unavailable'
  | 'signature'
  | 'key_removed';

export function isAlgorithm(value: unknown): value is TokenAlgorithm {
  return (tokenAlgorithms as readonly unknown[]).includes(value);
}
