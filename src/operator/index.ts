/**
 * Databases as a resource of a Kubernetes cluster: what the resource is, what it becomes, and who makes it so.
 *
 * `Database` is what a user writes; `objectsOf` turns one into deployments and services, a pure function; a `Controller` applies them and tells how
 * things stand in the status of the resource. Nothing here touches data: a database that is deleted leaves its bucket as it is.
 */

export type { Fetch } from './api.ts';
export { Controller } from './controller.ts';
export { definitionText, resourceDefinition } from './definition.ts';
