/** A mutation: one small wrong change of one source file, such as a tired hand makes. */

export type MutationKind =
  | 'argument order'
  | 'arithmetic'
  | 'check removed'
  | 'comparison'
  | 'condition negated'
  | 'constant'
  | 'early return'
  | 'empty loop'
  | 'jump removed'
  | 'logic'
  | 'missing await'
  | 'off by one'
  | 'other function'
  | 'statement removed';

/** The text between two positions of a file is replaced. */
export interface Edit {
  readonly kind: MutationKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Mutation {
  readonly kind: MutationKind;
  /** From the root of the repository. */
  readonly file: string;
  /** First and last line that is touched, from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** The touched lines, each run of white space as one space: what a mutation is known by, wherever its lines move. */
  readonly before: string;
  readonly after: string;
  /** The whole file with the mutation. */
  readonly changed: string;
}

export function mutationOf(file: string, text: string, edit: Edit): Mutation {
  const from = text.lastIndexOf('\n', edit.start - 1) + 1;
  const newline = text.indexOf('\n', edit.end);
  const to = newline < 0 ? text.length : newline;
  const lines = text.slice(from, edit.start) + edit.text + text.slice(edit.end, to);
  return {
    kind: edit.kind,
    file,
    line: lineAt(text, edit.start),
    lastLine: lineAt(text, edit.end),
    before: singleSpaced(text.slice(from, to)),
    after: singleSpaced(lines),
    changed: text.slice(0, edit.start) + edit.text + text.slice(edit.end),
  };
}

export function singleSpaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
