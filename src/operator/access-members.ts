/** The members `authentication` and `tls` of the resource: how clients are identified, and how their connections are encrypted. */

import { Type } from '@sinclair/typebox';
import { choice, text } from './member-types.ts';

/** Keys of the secrets that a resource names, and of the secret that the operator creates. */
export const secretKeys = {
  adminKey: 'key',
  certificate: 'tls.crt',
  privateKey: 'tls.key',
  keySet: 'jwks.json',
} as const;

const modes = ['keys', 'jwt', 'keys,jwt', 'none'] as const;

const jwt = Type.Object(
  {
    issuer: text('Issuer of the tokens, as their claim iss.'),
    audience: text('Audience of the tokens, as their claim aud.'),
    keySetUrl: Type.Optional(
      text('URL of the key set of the issuer (JWKS), if it is not in the metadata of the issuer.', {
        pattern: '^https://',
      }),
    ),
    keySetSecretRef: Type.Optional(
      Type.Object(
        { name: text('Name of the secret.') },
        { description: `Secret with the key set of the issuer in the key ${secretKeys.keySet}.` },
      ),
    ),
    profile: choice(
      'Form of the tokens: access tokens of RFC 9068, or also others.',
      ['rfc9068', 'compatible'],
      'rfc9068',
    ),
  },
  {
    description: 'Tokens of an issuer. Required with jwt, and only then permitted.',
    'x-kubernetes-validations': [
      {
        rule: '!has(self.keySetUrl) || !has(self.keySetSecretRef)',
        message: 'set at most one of keySetUrl and keySetSecretRef',
      },
    ],
  },
);

/** The member itself has no default, because databases without it may be older than authentication. */
export const clientAuthentication = Type.Object(
  {
    mode: choice(
      'Credentials of clients, as the flag --auth: API keys of the database, tokens of an issuer, both, or none. With none, every client that reaches a pod can read and change all data.',
      modes,
      'keys',
    ),
    jwt: Type.Optional(jwt),
  },
  {
    description: 'How clients are identified. If absent, new databases use API keys.',
    'x-kubernetes-validations': [
      {
        rule: "(self.mode == 'jwt' || self.mode == 'keys,jwt') == has(self.jwt)",
        message: 'set jwt exactly if the mode is jwt or keys,jwt',
      },
    ],
  },
);

export const tls = Type.Object(
  {
    secretName: Type.Optional(
      text(
        `Secret with the certificate of the pods (${secretKeys.certificate}) and its key (${secretKeys.privateKey}).`,
      ),
    ),
    behindProxy: Type.Optional(
      Type.Boolean({
        description:
          'Clients reach the pods only through a proxy that accepts TLS, such as an ingress. The pods then accept plain HTTP.',
      }),
    ),
    trustedProxies: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Address ranges of proxies. X-Forwarded-For of their requests contains the address of the client; with behindProxy, other addresses can reach only the probes.',
      }),
    ),
  },
  {
    description: 'TLS of the pods. Exactly one of secretName and behindProxy is required.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.secretName) != (has(self.behindProxy) && self.behindProxy)',
        message: 'set either secretName, or behindProxy to true',
      },
    ],
  },
);

export type AuthenticationMode = (typeof modes)[number];
