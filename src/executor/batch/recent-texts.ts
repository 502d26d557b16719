/** A cache of the codes of recent texts, indexed by a few characters of the text. Most grouping columns have few distinct texts. */

const places = 256;

export class RecentTexts {
  private readonly texts: (string | undefined)[] = [];
  private readonly codes = new Int32Array(places);

  /** Returns the code of a text; `undefined` if the text is not cached. */
  codeOf(text: string): number | undefined {
    const place = placeOf(text);
    return this.texts[place] === text ? this.codes[place] : undefined;
  }

  /** Caches the code of a text and returns `code`. */
  note(text: string, code: number): number {
    const place = placeOf(text);
    while (this.texts.length <= place) this.texts.push(undefined);
    this.texts[place] = text;
    this.codes[place] = code;
    return code;
  }
}

function placeOf(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  const last = text.charCodeAt(length - 1);
  const before = length > 1 ? text.charCodeAt(length - 2) : 0;
  return (length + last * 7 + before * 31 + text.charCodeAt(0)) & (places - 1);
}
