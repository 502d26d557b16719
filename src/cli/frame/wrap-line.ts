/** A line broken at words. */

/** What follows the first line stands below `indent`. A word that is too long has a line of its own. */
export function brokenAt(
  words: readonly string[],
  width: number,
  indent: string,
): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of words) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current !== '' && Bun.stringWidth(longer) > width) {
      lines.push(current);
      current = indent + word;
    } else current = longer;
  }
  return [...lines, current];
}

/**
 * What a message looks like on a terminal of so many columns: it would break long lines in the middle of words. A command in backticks stays
 * whole, so that it can be copied; so does a line of a file, with what is marked below it.
 */
export function wrappedMessage(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (Bun.stringWidth(line) <= columns || /^ *\d* *\|/.test(line)) return line;
      const indent = /^ *(?:- )?/.exec(line)?.[0] ?? '';
      const [first = '', ...others] = line.slice(indent.length).match(/(?:`[^`]*`|\S)+/g) ?? [];
      return brokenAt([indent + first, ...others], columns, ' '.repeat(indent.length));
    })
    .join('\n');
}
