/** Splits a source file into code, comments and string literals, and finds its imports. */

export interface SourceFile {
  /** From the root of the repository, `src/module/file.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface ImportLine {
  /** `?` when it is computed. */
  readonly specifier: string;
  readonly line: number;
}

export interface Scanned {
  /** The source with comments blanked; positions and lines as in the source. */
  readonly code: string;
  /** The same with the contents of strings and regular expressions blanked too. */
  readonly bare: string;
  /** The comments, with all else blanked. */
  readonly comments: string;
}

export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

type TokenKind = 'code' | 'comment' | 'text';

interface Token {
  readonly kind: TokenKind;
  readonly end: number;
}

/** A piece of code, one comment, or one text: a template is a text for each part between its expressions. */
export interface SourcePart {
  readonly kind: TokenKind;
  readonly at: number;
  readonly text: string;
}

export function* partsOf(text: string): Generator<SourcePart> {
  /** The last code and blanks, as far as they tell how a slash is read. */
  let bare = '';
  /** Depth of braces inside each open `${`. */
  const templates: number[] = [];
  for (let at = 0; at < text.length; ) {
    const { kind, end } = tokenAt(text, at, bare, templates);
    const part = text.slice(at, end);
    bare = `${bare}${kind === 'code' ? part : blanked(part)}`.slice(-tailLength);
    yield { kind, at, text: part };
    at = end;
  }
}

const tailLength = 200;

/** Separates code, comments and text. */
export function scan(text: string): Scanned {
  let code = '';
  let bare = '';
  let comments = '';
  for (const { kind, text: part } of partsOf(text)) {
    code += kind === 'comment' ? blanked(part) : part;
    bare += kind === 'code' ? part : blanked(part);
    comments += kind === 'comment' ? part : blanked(part);
  }
  return { code, bare, comments };
}

function blanked(part: string): string {
  return part.replace(/[^\n]/g, ' ');
}

const plain = /[^'"`/{}]+/y;
const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const quoted = /'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?/y;
const regularExpression = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
const templateText = /[`}](?:\\[\s\S]|\$(?!\{)|[^\\`$])*(?:`|\$\{)?/y;

function tokenAt(text: string, at: number, before: string, templates: number[]): Token {
  const until = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return at + (pattern.exec(text)?.[0].length ?? 0);
  };
  const first = (kind: TokenKind, pattern: RegExp): Token | undefined =>
    until(pattern) > at ? { kind, end: until(pattern) } : undefined;
  if (text[at] === '`' || (text[at] === '}' && templates.at(-1) === 0)) {
    if (text[at] === '}') templates.pop();
    const end = until(templateText);
    if (text.slice(at + 1, end).endsWith('${')) templates.push(0);
    return { kind: 'text', end };
  }
  const depth = templates.at(-1);
  if (depth !== undefined && text[at] === '{') templates[templates.length - 1] = depth + 1;
  if (depth !== undefined && text[at] === '}') templates[templates.length - 1] = depth - 1;
  return (
    first('code', plain) ??
    first('comment', comment) ??
    first('text', quoted) ??
    (endsInValue(before) ? undefined : first('text', regularExpression)) ?? {
      kind: 'code',
      end: at + 1,
    }
  );
}

/** After a value a slash divides; elsewhere it starts a regular expression. */
function endsInValue(before: string): boolean {
  const tail = before.slice(-40).replace(/\b(?:return|typeof|case|in|of|void|delete)\s*$/, '');
  return /[\w$)\]}]\s*$/.test(tail);
}

const forms: readonly RegExp[] = [
  /\b(?:import|export)\b[^'"`;]*?\bfrom\s*['"](?<specifier>[^'"\n]+)['"]/g,
  /\bimport\s*['"](?<specifier>[^'"\n]+)['"]/g,
  /\b(?:import|require)\s*\(\s*(?:['"`](?<specifier>[^'"`\n]+)['"`])?/g,
];

/** Every import, export-from, dynamic import, import type and require. */
export function importsOf({ code, bare }: Scanned): ImportLine[] {
  return forms.flatMap((form) =>
    Array.from(code.matchAll(form))
      // The keyword is code and no member, not part of a text.
      .filter(({ index }) => bare[index] === code[index] && !/[.\w$]/.test(code[index - 1] ?? ''))
      .map((match) => ({
        specifier: match.groups?.['specifier'] ?? '?',
        line: lineAt(code, match.index + match[0].length),
      })),
  );
}
