/** A file that is generated. */
export interface GeneratedFile {
  /** Relative to the output directory, with `/`. */
  readonly path: string;
  readonly text: string;
}
