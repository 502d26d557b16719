/** Positions in a text: nodes of a tree count bytes of UTF-8 from 0, errors count characters from 1, and JavaScript counts UTF-16 units. */

/** A location of a node. The parser omits 0, and writes -1 if there is no location. */
export type NodeLocation = number | undefined;

/** Returns the position of a node for an error; `undefined` if the node has no location. */
export function positionOf(text: string, location: NodeLocation): number | undefined {
  if (location !== undefined && location < 0) return undefined;
  let position = 1;
  let units = 0;
  for (let left = location ?? 0; left > 0 && units < text.length; position++) {
    const code = text.codePointAt(units) as number;
    left -= utf8Length(code);
    units += code < 0x10000 ? 1 : 2;
  }
  return position;
}

/** Returns the number of bytes of a character. */
export function utf8Length(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
