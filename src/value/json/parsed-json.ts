/** What a JSON text was found to be. */

export type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly detail: string };
