/**
 * Typed clients, made from the accepted schema of a project.
 *
 * `typescript/runtime` is the part of a TypeScript client that does not depend on the schema. The files are copied into applications as they stand:
 * they import each other only, use no API of Node or Bun, and touch clock, chance and timers themselves (`client/world.ts`).
 * Nothing of this room runs in the server.
 */

export {};
