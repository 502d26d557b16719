/** The README as a script: its shell blocks in order, each with the answer that stands under it. */

export interface Block {
  readonly script: string;
  /** The answer that the README shows for the last request of the block, if it shows one. */
  readonly answer: unknown;
  /** What its last command prints, if the README shows that. */
  readonly text: string | undefined;
}

/** Blocks of the tour: everything from the heading to the next one. */
export function tourOf(readme: string, heading: string): readonly Block[] {
  const from = readme.indexOf(`\n## ${heading}\n`);
  return blocksOf(readme.slice(from, readme.indexOf('\n## ', from + 1)));
}

export function blocksOf(section: string): readonly Block[] {
  const blocks = section.matchAll(/```sh\n([\s\S]*?)```\n(?:```(json|text)\n([\s\S]*?)```\n)?/g);
  return Array.from(blocks, ([, script, kind, answer]) => ({
    script: script as string,
    answer: kind === 'json' ? JSON.parse(answer as string) : undefined,
    text: kind === 'text' ? answer : undefined,
  }));
}
