/** Flags in the form that the configuration of the server accepts. */

/** Converts the camelCase names of the parser back to the names of the flags. */
export function flagValues(options: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      String(value),
    ]),
  );
}
