/** The fenced JSON blocks of a Markdown page, and the examples that they make: a request and the answer after it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const requestKinds = ['query', 'program', 'expression'] as const;
export const answerKinds = ['result', 'problem'] as const;

export interface Block {
  /** The words of the info string after `json`. */
  readonly words: readonly string[];
  readonly text: string;
  readonly line: number;
}

export interface Example {
  /** Page and line of the request, for messages. */
  readonly at: string;
  readonly kind: (typeof requestKinds)[number];
  readonly options: readonly string[];
  readonly request: string;
  readonly answer: Answer;
}

export interface Answer {
  readonly kind: (typeof answerKinds)[number];
  /** Whether some members are left out; true of every problem. */
  readonly isPart: boolean;
  readonly text: string;
}

export interface Page {
  readonly name: string;
  readonly setup: readonly string[];
  readonly examples: readonly Example[];
}

export const docsDirectory = join(import.meta.dir, '..', '..', 'docs');

export function readPage(name: string): Page {
  const blocks = blocksOf(readFileSync(join(docsDirectory, name), 'utf8'));
  const setup = blocks.filter((block) => block.words[0] === 'setup').map((block) => block.text);
  const others = blocks.filter((block) => block.words[0] !== 'setup');
  const examples: Example[] = [];
  for (let i = 0; i < others.length; i += 2) {
    examples.push(exampleOf(`${name}:${others[i]?.line}`, others[i], others[i + 1]));
  }
  return { name, setup, examples };
}

export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const match of markdown.matchAll(/^```json\b *(.*)\n([\s\S]*?)^```$/gm)) {
    const line = markdown.slice(0, match.index).split('\n').length;
    blocks.push({ words: (match[1] as string).split(' '), text: match[2] as string, line });
  }
  return blocks;
}

function exampleOf(at: string, request: Block | undefined, answer: Block | undefined): Example {
  const kind = requestKinds.find((known) => known === request?.words[0]);
  const answerKind = answerKinds.find((known) => known === answer?.words[0]);
  if (request === undefined || answer === undefined || !kind || !answerKind) {
    throw new Error(`${at}: expected a request block and an answer block`);
  }
  return {
    at,
    kind,
    options: request.words.slice(1),
    request: request.text,
    answer: {
      kind: answerKind,
      isPart: answerKind === 'problem' || answer.words.includes('part'),
      text: answer.text,
    },
  };
}
