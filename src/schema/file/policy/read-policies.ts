/** Reads the section `policies` of a schema file. */

import { isMap, isScalar } from 'yaml';
import { claimTypes, policyActions } from '#catalog';
import { checkName } from '../names.ts';
import type { Member, Reader } from '../reader.ts';
import { kindOf } from '../reader.ts';
import type { FilePolicies, FilePolicy, FileRule } from './file-policies.ts';
import { ruleWords } from './policy-grammar.ts';
import { ConditionReader } from './read-condition.ts';

export function readPolicies(
  member: Member | undefined,
  reader: Reader,
): FilePolicies | 'absent' | 'none' {
  if (member === undefined) return 'absent';
  const { node, spot } = member;
  if (isScalar(node) && node.value === 'none') return 'none';
  if (!isMap(node)) {
    reader.findings.shape(
      spot,
      `policies must be a mapping or the word none, not ${kindOf(node)}`,
      'write `policies: none` to remove all policies, or remove the member to change none',
    );
    return 'absent';
  }
  const members = reader.mapping(node, 'policies', spot);
  const claims = members?.get('claims');
  const tables = members?.get('tables');
  return {
    claims: ((claims && reader.entries(claims)) ?? []).map((claim) => readClaim(claim, reader)),
    tables: ((tables && reader.entries(tables)) ?? []).map((table) => readPolicy(table, reader)),
  };
}

function readClaim(member: Member, reader: Reader): FilePolicies['claims'][number] {
  const name = { value: member.name, spot: member.keySpot };
  checkName(name, 'claim', reader.findings);
  return { name, type: reader.word(member, claimTypes) };
}

function readPolicy({ name, keySpot, node, spot }: Member, reader: Reader): FilePolicy {
  const members = reader.mapping(node, 'table_policy', spot);
  return {
    table: { value: name, spot: keySpot },
    rules: policyActions.flatMap((action) => {
      const member = members?.get(action);
      return member === undefined ? [] : [readRule(member, action, reader)];
    }),
  };
}

function readRule(member: Member, action: FileRule['action'], reader: Reader): FileRule {
  const { node, spot } = member;
  if (isScalar(node) && typeof node.value === 'string') {
    const words = action === 'read' ? (['all'] as const) : ruleWords;
    return { action, spot, rule: reader.word(member, words), spots: {} };
  }
  if (!isMap(node)) {
    reader.findings.shape(
      spot,
      `${action} must be an expression or the word all, not ${kindOf(node)}`,
      'an action without a rule is permitted for no row',
    );
    return { action, spot, rule: undefined, spots: {} };
  }
  const condition = new ConditionReader(reader);
  const rule = node.has('kind') ? condition.bare(member) : condition.whole(member);
  return { action, spot, rule, spots: condition.spots };
}
