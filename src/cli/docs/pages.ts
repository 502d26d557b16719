/** The pages of `docs/` at the time when the executable was built. */

import { pageTexts } from './page-texts.ts' with { type: 'macro' };

export interface Page {
  readonly topic: string;
  readonly title: string;
  readonly text: string;
}

/** Comments for authors, each a separate paragraph. */
const comments = /^<!--.*?-->\n+/gms;

const all: readonly Page[] = Object.entries(pageTexts()).map(([topic, text]) => ({
  topic,
  title: /^# (.*)$/m.exec(text)?.[1] ?? topic,
  text: text.replace(comments, ''),
}));

/** The listed pages, in the order in which a user first needs them. */
export const pages: readonly Page[] = [
  'install',
  'production',
  'dev',
  'schema',
  'projects',
  'seeds',
  'clients',
  'migrations',
  'lir',
  'pir',
  'explain',
  'large-tables',
  'sql',
  'sql-clients',
  'postgres',
  'http',
  'errors',
  'operations',
  'security',
  'api-keys',
  'tokens',
  'row-policies',
  'deploy',
  'kubernetes',
  'monitoring',
  'readers',
  'storage-failures',
  'resource-limits',
  'http-limits',
  'metrics',
  'statistics',
  'relay',
  'corpus',
  'cli',
  'agents',
  'performance',
  'architecture',
  'execution',
  'testing',
  'storage-format',
  'bucket-protocol',
].map((topic) => all.find((page) => page.topic === topic) as Page);

/** Pages that other pages refer to, by their path. They are printed on request but not listed among the topics. */
export const linkedPages: readonly Page[] = all.filter((page) => !pages.includes(page));
