/** Renders policies as the section of a schema file. The reader returns the same policies again. */

import { type Catalog, namedPolicies, type Policies, policyActions } from '#catalog';
import { yamlScalar } from '../../yaml-text.ts';

/** Maximum length of a condition in one line. A longer one has one line per member. */
const widthMax = 130;

/** Returns the member `policies` with its line end; an empty text if the file has none. */
export function renderSection(catalog: Catalog, policies: Policies | 'absent' | 'none'): string {
  if (typeof policies === 'object') return renderPolicies(catalog, policies);
  return policies === 'none' ? 'policies: none\n' : '';
}

function renderPolicies(catalog: Catalog, policies: Policies): string {
  const { claims, tables } = namedPolicies(catalog, policies);
  const types = claims.map(({ name, type }) => `${yamlScalar(name)}: ${type}`);
  const entries = tables.flatMap(({ table, ...rules }) => {
    const lines = policyActions.flatMap((action) => {
      const rule = rules[action];
      return rule === undefined ? [] : renderMember(action, barest(rule), 6);
    });
    const name = yamlScalar(table);
    return lines.length === 0 ? [`    ${name}: {}`] : [`    ${name}:`, ...lines];
  });
  const lines = [
    'policies:',
    ...(types.length === 0 ? [] : [`  claims: { ${types.join(', ')} }`]),
    ...(entries.length === 0 ? ['  tables: {}'] : ['  tables:', ...entries]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Returns a condition without nodes as a bare expression. */
function barest(rule: string | { readonly where: object; readonly nodes?: object }): unknown {
  return typeof rule === 'object' && rule.nodes === undefined ? rule.where : rule;
}

function renderMember(name: string, value: unknown, indent: number): readonly string[] {
  const head = `${' '.repeat(indent)}${yamlScalar(name)}:`;
  const flow = flowText(value);
  if (typeof value !== 'object' || value === null || head.length + flow.length < widthMax) {
    return [`${head} ${flow}`];
  }
  if (Array.isArray(value)) return [head, ...value.flatMap((item) => renderItem(item, indent + 2))];
  return [head, ...renderMembers(value, indent + 2)];
}

function renderMembers(value: object, indent: number): readonly string[] {
  return ordered(value).flatMap(([name, member]) => renderMember(name, member, indent));
}

function renderItem(item: unknown, indent: number): readonly string[] {
  const dash = `${' '.repeat(indent)}- `;
  const flow = flowText(item);
  if (typeof item !== 'object' || item === null || dash.length + flow.length < widthMax) {
    return [dash + flow];
  }
  const [first = '', ...others] = renderMembers(item, indent + 2);
  return [dash + first.trimStart(), ...others];
}

function flowText(value: unknown): string {
  if (typeof value === 'string') return yamlScalar(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  const members = ordered(value).map(
    ([name, member]) => `${yamlScalar(name)}: ${flowText(member)}`,
  );
  return `{ ${members.join(', ')} }`;
}

const order = ['kind', 'type', 'op', 'table', 'scope', 'column', 'name', 'node', 'where', 'nodes']
  .concat(['input', 'join', 'to', 'value', 'left', 'right', 'expr', 'args', 'parts'])
  .concat(['comparison', 'predicate', 'on']);

/** Returns the members of a part in the order in which people read them. Names of nodes keep their order behind them. */
function ordered(value: object): readonly (readonly [string, unknown])[] {
  const rank = (name: string) => {
    const at = order.indexOf(name);
    return at < 0 ? order.length : at;
  };
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => rank(left) - rank(right));
}
