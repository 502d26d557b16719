/** Pages are imported as text. */
declare module '*.md' {
  const text: string;
  export = text;
}

/** So are the schemas, where the import says so. */
declare module '*.schema.json' {
  const text: string;
  export = text;
}
