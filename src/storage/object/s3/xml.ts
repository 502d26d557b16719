/** Reads the few forms of XML that S3 returns. Any other form is an error of the server. */

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** Returns the text of the first element with this name; `undefined` if there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const open = `<${name}>`;
  const at = xml.indexOf(open);
  const end = at < 0 ? -1 : xml.indexOf(`</${name}>`, at);
  return end < 0 ? undefined : unescapeXml(xml.slice(at + open.length, end));
}

/** Yields the raw contents of all elements with this name. The elements must not be nested. */
export function* elementsOf(xml: string, name: string): Generator<string, undefined> {
  const open = `<${name}>`;
  const close = `</${name}>`;
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at);
    if (end < 0) return;
    yield xml.slice(at + open.length, end);
    at = end + close.length;
  }
}

/** Returns true if the document is complete. */
export function isWhole(xml: string, root: string): boolean {
  const at = xml.indexOf(`<${root}`);
  if (at < 0 || !/[\s>]/.test(xml.charAt(at + root.length + 1))) return false;
  return xml.trimEnd().endsWith(`</${root}>`);
}

export function escapeXml(text: string): string {
  return text.replace(/[<>&"'\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|([a-z]+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    return String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10));
  });
}
