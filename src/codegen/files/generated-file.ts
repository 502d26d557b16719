/** A generated file. */
export interface GeneratedFile {
  /** Path relative to the output directory, with `/` as separator. */
  readonly path: string;
  readonly text: string;
}
