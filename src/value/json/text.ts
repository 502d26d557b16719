/** Encodes a text as JSON. */
export function encodeText(text: string): string {
  return special.test(text) ? JSON.stringify(text) : `"${text}"`;
}

// Matches control characters, quotes, backslashes, and surrogates, whose pairs JSON.stringify checks.
const special = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
