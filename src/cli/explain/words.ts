/** Numbers and texts of plans, as they stand in a terminal. */

/** `1,234`. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function counted(value: number, what: string): string {
  return `${count(value)} ${what}${value === 1 ? '' : 's'}`;
}

/** Milliseconds, with as many digits as say something. */
export function milliseconds(micros: number): string {
  const digits = micros < 10_000 ? 2 : micros < 1_000_000 ? 1 : 0;
  const [whole = '', part] = (micros / 1000).toFixed(digits).split('.');
  return Number(whole).toLocaleString('en-US') + (part === undefined ? '' : `.${part}`);
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${count(bytes)} B`;
  const isLarge = bytes >= 1024 * 1024;
  const value = isLarge ? bytes / (1024 * 1024) : bytes / 1024;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${isLarge ? 'MiB' : 'KiB'}`;
}

/** Names and literals are of other people: what would steer the terminal is shown as it is written in JSON. */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are meant
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Lines of at most `width`, broken at words; a word that is too long is cut. What follows the first line begins with `indent`. */
export function fitted(text: string, width: number, indent = ''): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let isEmpty = true;
  for (const word of text.split(' ')) {
    const longer = isEmpty ? line + word : `${line} ${word}`;
    if (Bun.stringWidth(longer) <= width) {
      line = longer;
      isEmpty = false;
      continue;
    }
    if (!isEmpty) {
      lines.push(line);
      line = indent;
    }
    const pieces = cutWord(word, width - Bun.stringWidth(line), width - Bun.stringWidth(indent));
    for (const piece of pieces.slice(0, -1)) {
      lines.push(line + piece);
      line = indent;
    }
    line += pieces.at(-1) ?? '';
    isEmpty = false;
  }
  return [...lines, line];
}

/** The first piece at most `first` wide, the others `width`. */
function cutWord(word: string, first: number, width: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let pieceWidth = 0;
  for (const character of word) {
    const characterWidth = Bun.stringWidth(character);
    const room = pieces.length === 0 ? first : width;
    if (piece !== '' && pieceWidth + characterWidth > room) {
      pieces.push(piece);
      piece = '';
      pieceWidth = 0;
    }
    piece += character;
    pieceWidth += characterWidth;
  }
  return [...pieces, piece];
}
