/** What a page of another site can make a browser send: refused wherever something would change. */

import type { LiveAttack, Stage } from '../../attack.ts';
import { col, numbers, program, project, relation, statement } from '../../programs/lir.ts';

interface Case {
  readonly headers: Readonly<Record<string, string>>;
  readonly mayPass: boolean;
}

const cases = (port: number): readonly Case[] => {
  const own = `http://127.0.0.1:${port}`;
  const evil = 'https://evil.example';
  const foreign = (headers: Readonly<Record<string, string>>) => ({ headers, mayPass: false });
  return [
    { headers: {}, mayPass: true },
    { headers: { origin: own, 'sec-fetch-site': 'same-origin' }, mayPass: true },
    { headers: { 'sec-fetch-site': 'none' }, mayPass: true },
    foreign({ origin: evil }),
    foreign({ origin: evil, 'sec-fetch-site': 'cross-site' }),
    foreign({ origin: evil, 'sec-fetch-site': 'same-origin' }),
    foreign({ 'sec-fetch-site': 'cross-site' }),
    foreign({ 'sec-fetch-site': 'same-site' }),
    foreign({ 'sec-fetch-site': 'Cross-Site' }),
    foreign({ origin: 'null' }),
    foreign({ origin: '', 'sec-fetch-site': 'cross-site' }),
    foreign({ origin: `http://127.0.0.1:${port === 1 ? 2 : port - 1}` }),
    foreign({ origin: `${own}.evil.example` }),
    foreign({ origin: `https://127.0.0.1:${port}` }),
    foreign({ origin: `http://localhost:${port}`, host: 'evil.example' }),
    foreign({ host: 'evil.example' }),
    foreign({ host: `127.0.0.1.evil.example:${port}` }),
    foreign({ origin: evil, 'content-type': 'text/plain' }),
  ];
};

interface Change {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

function create(id: number): string {
  const nodes = { r: numbers('r', id, id + 1), p: project('r', { id: col('r', 'n') }) };
  return program([statement('create', 'digit', relation(nodes, 'p'))]);
}

const changes = (i: number): readonly Change[] => [
  { method: 'POST', path: '/execute', body: create(5_000_000 + i) },
  { method: 'POST', path: '/tables', body: tableBody(i) },
  { method: 'PATCH', path: '/tables/digit', body: JSON.stringify({ name: 'digit' }) },
  { method: 'DELETE', path: `/tables/nothing${i}` },
  { method: 'POST', path: '/tables/digit/columns', body: JSON.stringify(columnBody(i)) },
  { method: 'POST', path: '/tables/digit/indexes', body: JSON.stringify(indexBody(i)) },
  { method: 'DELETE', path: '/tables/digit/indexes/none' },
  { method: 'POST', path: '/schema/migrate', body: '{"schema":""}' },
  { method: 'POST', path: '/schema/transitions/tr4/cancel', body: '' },
];

const tableBody = (i: number) =>
  JSON.stringify({
    name: `foreign${i}`,
    columns: [{ name: 'id', type: 'int64' }],
    primary_key: ['id'],
  });
const columnBody = (i: number) => ({ name: `c${i}`, type: 'text', nullable: true });
const indexBody = (i: number) => ({ name: `x${i}`, columns: ['id'] });

async function judge(stage: Stage, i: number, { headers, mayPass }: Case): Promise<string[]> {
  const wrong: string[] = [];
  for (const change of changes(i)) {
    const { status } = await stage.ask({ ...change, headers, limitMs: 5000 });
    const isRefused = status === 403;
    if (isRefused === !mayPass) continue;
    wrong.push(`${change.method} ${change.path} with ${JSON.stringify(headers)}: ${status}`);
  }
  return wrong;
}

export const foreignSites: LiveAttack = {
  kind: 'live',
  part: 'browser',
  name: 'foreign-sites',
  does: 'everything that changes something × Origin, Host and Sec-Fetch-Site as browsers send them',
  goals: { idleShare: undefined },
  strike: async (stage) => {
    const failures: string[] = [];
    const all = cases(stage.port);
    for (const [i, one] of all.entries()) failures.push(...(await judge(stage, i, one)));
    const total = all.length * changes(0).length;
    return { got: [`${total - failures.length} of ${total} as they must be`], failures };
  },
};
