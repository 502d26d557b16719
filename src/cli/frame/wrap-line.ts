/** Wraps lines at spaces, for a terminal. */

/** Replaces a space at which a line must not be broken. */
const joint = '\ue000';

/** Returns `text` with all its spaces protected from line breaks. */
export function whole(text: string): string {
  return text.replaceAll(' ', joint);
}

interface WrapOptions {
  /** Prefix of the first line. */
  readonly lead?: string;
  /** Prefix of the other lines. Default: as many spaces as `lead` is wide. */
  readonly indent?: string;
  /** Whether a word that is too long is cut. Otherwise it gets a separate line. */
  readonly isHard?: boolean;
}

/** Returns lines of at most `width` columns. Styles end within a word. */
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
 * Wraps a message for a terminal with `columns` columns, which would otherwise break long lines in the middle of words. A command in backticks stays whole, so
 * that it can be copied. A line of a file with the mark below it also stays whole.
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
