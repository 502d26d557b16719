/** For bash. */

import { allNodes, environmentsCommand, type WordNode, wordsAfter } from './word-tree.ts';

export function bashCompletion(root: WordNode): string {
  const nodes = allNodes(root);
  const cases = nodes.map((node) => `    '${node.path}') words='${wordsAfter(node).join(' ')}' ;;`);
  const paths = nodes.map(({ path }) => `'${path}'`).join('|');
  const flags = nodes.flatMap((node) => node.flags);
  const valued = new Map(flags.filter((flag) => flag.takesValue).map((flag) => [flag.long, flag]));
  const values = [...valued.values()].map(({ long, choices, isPath, isEnvironment }) => {
    if (isEnvironment) {
      return `    ${long}) COMPREPLY=($(compgen -W "$(${environmentsCommand} 2>/dev/null)" -- "$current")); return ;;`;
    }
    if (choices.length > 0) {
      return `    ${long}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); return ;;`;
    }
    return isPath
      ? `    ${long}) COMPREPLY=($(compgen -f -- "$current")); return ;;`
      : `    ${long}) return ;;`;
  });
  return `# bash completion of svc: source <(svc completions bash)
_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path=svc words='' i
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
    ${paths}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _svc svc
`;
}
