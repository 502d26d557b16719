/** Positions in a text: nodes of a tree count bytes of UTF-8 from 0, errors count characters from 1, and JavaScript counts UTF-16 units. */

/** A location of a node. The parser omits 0, and writes -1 if there is no location. */
export type NodeLocation = number | undefined;

/** Returns the position of a node for an error; `undefined` if the node has no location. */
export function positionOf(text: string, location: NodeLocation): number | undefined {
  return location !== undefined && location < 0 ? undefined : charactersIn(text, location ?? 0) + 1;
}

/** Returns the number of characters in the first bytes of a text. */
function charactersIn(text: string, bytes: number): number {
  let [unit, characters] = [0, 0];
  for (let left = bytes; left > 0 && unit < text.length; characters++) {
    const code = text.codePointAt(unit) as number;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    unit += code < 0x10000 ? 1 : 2;
  }
  return characters;
}
