/** A text as JSON. */
export function encodeText(text: string): string {
  return special.test(text) ? JSON.stringify(text) : `"${text}"`;
}

// Controls, quote, backslash, and surrogates, which JSON.stringify looks at in pairs.
const special = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
