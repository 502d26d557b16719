/** Wrong rules of the policies in schema files. */

import type { Mutant } from './mutants.ts';

const errorTests = ['tests/schema/file/policy-errors.test.ts'];
const mergeTests = ['tests/schema/merge/policies.test.ts'];

export const policyFileMutants: readonly Mutant[] = [
  {
    name: 'a null section removes policies',
    file: 'src/schema/file/policy/read-policies.ts',
    from: "if (isScalar(node) && node.value === 'none') return 'none';",
    to: "if (isScalar(node)) return 'none';",
    tests: errorTests,
  },
  {
    name: 'a second exists of a policy is accepted',
    file: 'src/schema/file/policy/check-condition.ts',
    from: 'if (this.hasExists) {',
    to: 'if (this.hasExists && !mayCross) {',
    tests: errorTests,
  },
  {
    name: 'the types in policies of a file are not checked',
    file: 'src/schema/file/parse.ts',
    from: '  yield* checkPolicyTypes(catalog, policies, given, findings, pace);\n',
    to: '  void [checkPolicyTypes, findings, pace];\n  yield* [];\n',
    tests: errorTests,
  },
  {
    name: 'a merge removes the policies of a file because the database has none',
    file: 'src/schema/merge/merge-policies.ts',
    from: 'if (there === undefined || isSamePolicies(ours, there)) return kept;',
    to: "if (there === undefined) return { policies: 'none' };\n  if (isSamePolicies(ours, there)) return kept;",
    tests: mergeTests,
  },
  {
    name: 'the file wins over policies that its project has not recorded',
    file: 'src/schema/merge/merge-policies.ts',
    from: 'if (isKnown(theirs.catalog, there)) return kept;',
    to: 'if (isKnown(theirs.catalog, there) || ours !== undefined) return kept;',
    tests: mergeTests,
  },
  {
    name: 'a migration replaces policies that the project has not recorded',
    file: 'src/cli/project/policy-state.ts',
    from: "return current === undefined || accepted.has(policyHash) ? 'recorded' : 'unknown';",
    to: "return accepted.has(policyHash) || policyHash !== '' ? 'recorded' : 'unknown';",
    tests: ['tests/cli/policies.test.ts'],
  },
];
