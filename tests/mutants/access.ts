/** Wrong rules of API keys. */

import type { Mutant } from './mutants.ts';

const keysTests = ['tests/engine/keys/keys.test.ts'];
const setTests = ['tests/access/key-set.test.ts'];

export const accessMutants: readonly Mutant[] = [
  {
    name: 'a commit does not look again at the key of its principal',
    file: 'src/engine/attempt.ts',
    from: '        database.admits(requestContext.principal) &&\n',
    to: '',
    tests: ['tests/engine/keys/revocation.test.ts'],
  },
  {
    name: 'a replaced key lives on',
    file: 'src/engine/keys/keys.ts',
    from: 'const ending = { ...old, expiresAtMs: endsMs };',
    to: 'const ending = { ...old };\n      void endsMs;',
    tests: keysTests,
  },
  {
    name: 'a revoked key can be replaced',
    file: 'src/engine/keys/keys.ts',
    from: '      if (end !== undefined) {',
    to: "      if (end === 'expired') {",
    tests: keysTests,
  },
  {
    name: 'a replacement lives as long as the grace has left of the old key',
    file: 'src/engine/keys/keys.ts',
    from: '...(lifeMs !== undefined && { lifeMs, expiresAtMs: nowMs + lifeMs }),',
    to: '...(lifeMs !== undefined && { lifeMs, expiresAtMs: (rights as ApiKey).expiresAtMs ?? nowMs + lifeMs }),',
    tests: keysTests,
  },
  {
    name: 'a missing head of the keys looks like no keys',
    file: 'src/engine/records.ts',
    from: "  if (head === undefined) throw corrupt('the API keys', 'their head is missing');\n",
    to: '',
    tests: keysTests,
  },
  {
    name: 'a missing record of a key is not noticed',
    file: 'src/access/key-set.ts',
    from: '    if (this.known.size !== count) {',
    to: '    if (this.known.size > count) {',
    tests: setTests,
  },
  {
    name: 'a changed record of a key is not noticed',
    file: 'src/access/key-set.ts',
    from: '    if (this.digest.toHex() !== digest) {',
    to: '    if (this.digest.toHex() === digest && count < 0) {',
    tests: setTests,
  },
  {
    name: 'an older program opens a database with keys',
    file: 'src/engine/identity-needs.ts',
    from: 'needs: [...needs, feature]',
    to: 'needs',
    tests: keysTests,
  },
  {
    name: 'a reader misses a revocation',
    file: 'src/engine/records.ts',
    from: 'const hasSameKeys = known !== undefined && isSame(known.keysHead, keysHead);',
    to: 'const hasSameKeys = known !== undefined && known.keys.size > 0;',
    tests: keysTests,
  },
  {
    name: 'the last live admin can be revoked',
    file: 'src/engine/keys/keys.ts',
    from: 'if (isLastAdmin && !hasOtherAdmins) {',
    to: 'if (isLastAdmin && hasOtherAdmins) {',
    tests: keysTests,
  },
  {
    name: 'a bootstrap file revives a database whose keys were revoked',
    file: 'src/engine/keys/keys.ts',
    from: 'if (keys.version > 0) return { result: false };',
    to: 'if (keys.hasLiveAdmin(nowMs)) return { result: false };',
    tests: keysTests,
  },
  {
    name: 'malformed grants of a record mean all tables',
    file: 'src/access/stored-key.ts',
    from: 'grants: stored.grants === undefined ? undefined : stored.grants.map(loadGrant),',
    to: 'grants: stored.grants?.map(loadGrant),',
    tests: setTests,
  },
];
