/** Lines broken at spaces, for a terminal. */

/** Stands for a space at which no line is broken. */
const joint = '\ue000';

/** `text` with spaces at which no line is broken. */
export function whole(text: string): string {
  return text.replaceAll(' ', joint);
}

interface WrapOptions {
  /** Stands before the first line. */
  readonly lead?: string;
  /** Stands before the others; as many spaces as `lead` is wide if it is missing. */
  readonly indent?: string;
  /** A word that is too long is cut; else it has a line of its own. */
  readonly isHard?: boolean;
}

/** Lines of at most `width` columns. Styles end within a word. */
export function wrap(text: string, width: number, options: WrapOptions = {}): readonly string[] {
  const { lead = '', indent = ' '.repeat(Bun.stringWidth(lead)), isHard: hard = false } = options;
  const broken = (part: string, before: string) =>
    Bun.wrapAnsi(part, Math.max(1, width - Bun.stringWidth(before)), { hard }).split('\n');
  const [first = ''] = broken(text, lead);
  const rest = text.slice(first.length).trimStart();
  const others = rest === '' ? [] : broken(rest, indent).map((line) => indent + line);
  return [lead + first, ...others].map((line) => line.replaceAll(joint, ' '));
}

/**
 * What a message looks like on a terminal of so many columns: it would break long lines in the middle of words. A command in backticks stays
 * whole, so that it can be copied; so does a line of a file, with what is marked below it.
 */
export function wrappedMessage(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (/^ *\d* *\|/.test(line)) return line;
      const lead = /^ *(?:- )?/.exec(line)?.[0] ?? '';
      return wrap(line.slice(lead.length).replace(/`[^`]*`/g, whole), columns, { lead });
    })
    .join('\n');
}
