/** Sentences of a text, without what is code. */

/** Stands for what was removed. */
export const codeToken = '\u2039c\u203a';

/** The text without code spans, targets of links, flags, quoted words, paths and identifiers. */
function proseOf(text: string): string {
  return text
    .replace(/``?[^`]*``?/g, codeToken)
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/\S+/g, codeToken)
    .replace(/(^|[\s(])--?[a-z][\w-]*/g, `$1${codeToken}`)
    .replace(/"[^"\n]{1,60}"/g, codeToken)
    .replace(
      /\b[\w-]*[a-z][A-Z]\w*\b|\b\w+(_\w+)+\b|\b[\w-]+(\/[\w.-]+)+\b|\b[\w-]+\.(ts|md|go|py|yaml|json|sh)\b/g,
      codeToken,
    )
    .replace(/\*\*|(?<=\s)\*(?=\S)|(?<=\S)\*(?=[\s.,;:])/g, '');
}

export function sentencesOf(text: string): readonly string[] {
  return proseOf(text)
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?])\s+(?=["'(\u2039A-Z0-9])|(?<=[.!?])$/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[a-z]{2,}/i.test(sentence));
}
