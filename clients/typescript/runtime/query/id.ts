/** Identities that are not mixed up: those of one table do not pass for those of another. */

declare const brand: unique symbol;

/** `Name`: the table whose rows it identifies; `Base`: what it is otherwise. A value becomes one by `as Id<…>`, where it enters the application. */
export type Id<Name extends string, Base = string> = Base & { readonly [brand]: Name };
