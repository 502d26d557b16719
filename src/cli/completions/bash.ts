/** The completion script for bash. */

import { allNodes, environmentsCommand, type WordNode, wordsAfter } from './word-tree.ts';

export function bashCompletion(root: WordNode): string {
  const nodes = allNodes(root);
  const cases = nodes.map((node) => {
    const files = node.isPath ? ' isPath=1' : '';
    return `    '${node.path}') words='${wordsAfter(node).join(' ')}'${files} ;;`;
  });
  const paths = nodes.map(({ path }) => `'${path}'`).join('|');
  const flags = nodes.flatMap((node) => node.flags);
  const valued = new Map(flags.filter((flag) => flag.takesValue).map((flag) => [flag.long, flag]));
  const values = [...valued.values()].map((flag) => {
    const { choices, isPath, isEnvironment } = flag;
    const long = flag.short === undefined ? flag.long : `${flag.long}|${flag.short}`;
    if (isEnvironment) {
      return `    ${long}) COMPREPLY=($(compgen -W "$(${environmentsCommand} 2>/dev/null)" -- "$current")); return ;;`;
    }
    if (choices.length > 0) {
      return `    ${long}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); return ;;`;
    }
    return isPath ? `    ${long}) _svc_files; return ;;` : `    ${long}) return ;;`;
  });
  return `# bash completion of svc: source <(svc completions bash)
# Names may contain spaces; completion continues inside a directory.
_svc_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -- "$current"))
}
_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path=svc words='' isPath='' i
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
  if [ -n "$isPath" ] && [ "\${current:0:1}" != - ]; then _svc_files; fi
}
complete -F _svc svc
`;
}
