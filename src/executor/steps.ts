/** Work outside of operators is written in steps. */

export { runSteps, type Steps } from '#base';
