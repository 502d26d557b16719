/** Random changes of valid tokens. No result is one of the valid tokens. */

import { tokenAlgorithms } from '#authentication';
import { seededRandom } from '../../support/seeded-random.ts';
import { validToken } from './issuer.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ %\n\0é';

/** Ed25519 and ECDSA signatures of other users, and one that differs in its scopes. */
const tokens = tokenAlgorithms.flatMap((algorithm) => [
  validToken(algorithm),
  validToken(algorithm, { sub: 'eve' }),
  validToken(algorithm, { scope: 'svc:admin', nbf: 0, aud: ['x', 'https://db.example'] }),
]);
const valid = new Set(tokens);

type Draw = (below: number) => number;
type Change = (token: string, draw: Draw) => string;

const replaceOne: Change = (token, draw) => {
  const at = draw(token.length);
  return token.slice(0, at) + alphabet[draw(alphabet.length)] + token.slice(at + 1);
};

/** Changes the decoded bytes of one part, so that the form remains valid. */
const changeBytes: Change = (token, draw) => {
  const parts = token.split('.');
  const index = draw(parts.length);
  const bytes = Buffer.from(parts[index] ?? '', 'base64url');
  if (bytes.length > 0) bytes[draw(bytes.length)] = draw(256);
  parts[index] = bytes.toString('base64url');
  return parts.join('.');
};

/** Changes a digit or letter of the claims or the header, which often leaves valid JSON. */
const changeText: Change = (token, draw) => {
  const parts = token.split('.');
  const index = draw(2);
  const text = Buffer.from(parts[index] ?? '', 'base64url').toString();
  const at = draw(text.length);
  const letters = '0123456789abcdefghijklmnopqrstuvwxyz';
  const changed = text.slice(0, at) + letters[draw(letters.length)] + text.slice(at + 1);
  parts[index] = Buffer.from(changed).toString('base64url');
  return parts.join('.');
};

const changes: readonly Change[] = [
  replaceOne,
  changeBytes,
  changeText,
  (token, draw) => token.slice(0, draw(token.length)),
  (token, draw) => token.slice(draw(token.length)),
  (token, draw) => {
    const at = draw(token.length);
    return token.slice(0, at) + token.slice(at + 1 + draw(4));
  },
  (token, draw) => {
    const [from, to] = [draw(token.length), draw(token.length)];
    return token.slice(0, from) + token.slice(to);
  },
  (token, draw) => {
    const other = (tokens[draw(tokens.length)] as string).split('.');
    const parts = token.split('.');
    const index = draw(3);
    parts[index] = other[index] as string;
    return parts.join('.');
  },
];

export interface Mutated {
  readonly number: number;
  readonly token: string;
}

/** Returns `count` changed tokens. The same seed gives the same changes of tokens, although each process has other keys. */
export function* mutations(seed: number, count: number): Generator<Mutated> {
  const random = seededRandom(seed);
  const draw: Draw = (below) => Math.floor(random() * below);
  for (let number = 0; number < count; ) {
    let token = tokens[draw(tokens.length)] as string;
    for (let times = 1 + draw(2); times > 0; times--) {
      token = (changes[draw(changes.length)] as Change)(token, draw);
    }
    if (!valid.has(token)) yield { number: number++, token };
  }
}
