/** Source text of the runtime. */
declare module '*.py' {
  const text: string;
  export = text;
}
