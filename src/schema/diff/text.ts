/** Quoted names in messages. */

export function quoted(name: string): string {
  return JSON.stringify(name);
}
