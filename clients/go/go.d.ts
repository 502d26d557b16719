/** Files of Go as texts. */
declare module '*.go' {
  const text: string;
  export = text;
}
