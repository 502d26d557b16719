/**
 * Databases as a resource of a Kubernetes cluster: the resource, the objects that it becomes, and the controller.
 *
 * A user writes a `Database`. The pure function `objectsOf` converts it to deployments and services. A `Controller`
 * applies these objects and reports their state in the status of the resource. The operator touches no data: if a
 * database is deleted, its bucket stays unchanged.
 */

export type { Fetch } from './api.ts';
export { Controller } from './controller.ts';
export { definitionText, resourceDefinition } from './definition.ts';
