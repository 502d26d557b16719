/** `svc docs`: prints the documentation that the executable contains. */

import { Argument, Command } from '@commander-js/extra-typings';
import { nearestOf } from '#base';
import { usageFailure } from '../frame/command-failure.ts';
import { printResult, printText } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { wrap } from '../frame/wrap-line.ts';
import { linkedPages, type Page, pages } from './pages.ts';
import { wrappedPage } from './wrap.ts';

const topics = pages.map(({ topic }) => topic);

export function docsCommand(shell: Shell) {
  return new Command('docs')
    .description('Print a page of the documentation; without a topic, the list of pages.')
    .addArgument(
      new Argument('[topic]', 'name of the page')
        .choices(topics)
        .argParser((topic: string) => topic),
    )
    .action((topic) => {
      if (topic === undefined) return list(shell);
      const { text, title } = pageOf(topic);
      if (shell.mode === 'json') printResult(shell, { topic, title, text }, text);
      else printText(wrapsHere(text));
    });
}

/** Width of the list if stdout is not a terminal. */
const listColumns = 80;
const linked = `Further pages: ${linkedPages.map(({ topic }) => topic).join(', ')}`;

/** Wraps a page for a terminal. In a pipe, and for a text that is not Markdown, the text is unchanged. */
function wrapsHere(text: string): string {
  const { isTTY, columns } = process.stdout;
  return isTTY && columns > 0 && !text.startsWith('{') ? wrappedPage(text, columns) : text;
}

function list(shell: Shell): void {
  const width = Math.max(...pages.map(({ topic }) => topic.length));
  printResult(
    shell,
    { topics: pages.map(({ topic, title }) => ({ topic, title })) },
    [
      ...pages.map(({ topic, title }) => `${topic.padEnd(width)}  ${title}`),
      '',
      ...wrap(linked, process.stdout.columns || listColumns),
    ].join('\n'),
  );
}

/** Returns the page for a topic, for the path in a link of another page, for the number of a decision, or for an unambiguous prefix: `decisions/0006`. */
function pageOf(topic: string): Page {
  const wanted = topic.replace(/^(\.\.\/|docs\/)/, '').replace(/\.md(#.*)?$/, '');
  const all = [...pages, ...linkedPages];
  const page = all.find((candidate) => candidate.topic === wanted);
  if (page !== undefined) return page;
  const begin = /^\d{1,4}$/.test(wanted) ? `decisions/${wanted.padStart(4, '0')}-` : wanted;
  const [first, ...others] = all.filter((it) => it.topic.startsWith(begin) && begin !== '');
  if (first !== undefined && others.length === 0) return first;
  const near = nearPage(wanted, all);
  const guess = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
  throw usageFailure(`there is no page ${JSON.stringify(topic)}${guess}`, '`svc docs` lists them');
}

/** Returns the topic with a similar spelling, or else the first topic that contains the word. */
function nearPage(wanted: string, all: readonly Page[]): string | undefined {
  const isNamed = ({ topic }: Page) => wanted.length >= 3 && topic.includes(wanted.toLowerCase());
  return (
    nearestOf(
      wanted,
      all.map(({ topic }) => topic),
    ) ?? all.find(isNamed)?.topic
  );
}
