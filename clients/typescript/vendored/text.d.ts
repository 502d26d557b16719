/** Texts that `build.ts` makes. */
declare module '*.txt' {
  const text: string;
  export = text;
}
