/** A query, an option or an argument that no request can be made of. */
export class BuildError extends Error {
  override name = 'BuildError';
}
