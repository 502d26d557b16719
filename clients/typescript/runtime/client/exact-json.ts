/** JSON without loss of integers. */

interface ExactJson {
  readonly value: unknown;
  /** No number has more than 15 digits, so that all of them are what they were in the text. */
  readonly isShort: boolean;
}

/** As `JSON.parse`, but integers of 16 digits and more become strings. Throws SyntaxError. */
export function parseExact(text: string): ExactJson {
  if (!hasLongInteger(text)) return { value: JSON.parse(text), isShort: true };
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    /^-?\d{16,}$/.test(token) ? `"${token}"` : token,
  );
  return { value: JSON.parse(quoted), isShort: false };
}

/** Whether 16 digits stand behind each other, perhaps within a string: they have a place that 16 divides, and no others are looked at. */
function hasLongInteger(text: string): boolean {
  const isDigit = (place: number) => {
    const code = text.charCodeAt(place);
    return code > 47 && code < 58;
  };
  for (let at = 0; at < text.length; at += 16) {
    let last = at;
    while (isDigit(last)) last++;
    let first = at;
    while (last > at && isDigit(first - 1)) first--;
    if (last - first > 15) return true;
  }
  return false;
}
