/** The completion script for zsh. */

import { allNodes, environmentsCommand, type Flag, lastWord, type WordNode } from './word-tree.ts';

export function zshCompletion(root: WordNode): string {
  const functions = allNodes(root).map(functionOf);
  return `#compdef svc
# zsh completion of svc, after compinit: source <(svc completions zsh); or once: svc completions zsh > "\${fpath[1]}/_svc"
${functions.join('\n')}
if [ "$funcstack[1]" = _svc ]; then _svc "$@"; else compdef _svc svc; fi
`;
}

function functionOf(node: WordNode): string {
  const flags = [...node.flags, ...flagsBelow(node)].map((flag) => `    ${flagSpec(flag)}`);
  const name = functionName(node);
  if (node.commands.length === 0) {
    const argument = node.choices.length > 0 ? `'1: :(${node.choices.join(' ')})'` : "'*: :_files'";
    return `${name}() {\n  _arguments -s \\\n${[...flags, `    ${argument}`].join(' \\\n')}\n}`;
  }
  const commands = node.commands.map(
    (child) => `    '${lastWord(child)}:${quoted(child.description)}'`,
  );
  const branches = node.commands.map(
    (child) => `    ${lastWord(child)}) ${functionName(child)} ;;`,
  );
  return `${name}() {
  local state line
  _arguments -C \\
${[...flags, "    '(-)1: :->command'", "    '(-)*:: :->rest'"].join(' \\\n')}
  local -a commands=(
${commands.join('\n')}
  )
  case $state in
  command) _describe command commands ;;
  rest)
    case $line[1] in
${branches.join('\n')}
    esac ;;
  esac
}`;
}

/** Returns the flags that all commands below a word have. They can also precede these commands. */
function flagsBelow(node: WordNode): readonly Flag[] {
  const leaves = allNodes(node).filter(
    ({ commands, path }) => commands.length === 0 && path !== node.path,
  );
  const [first] = leaves;
  const has = ({ flags }: WordNode, { long }: Flag) => flags.some((it) => it.long === long);
  return (first?.flags ?? []).filter(
    (flag) => !has(node, flag) && leaves.every((leaf) => has(leaf, flag)),
  );
}

/** Returns both forms of a flag, each of which excludes the other. */
function flagSpec(flag: Flag): string {
  const { long, short } = flag;
  const names = short === undefined ? long : `(${short} ${long})'{${short},${long}}'`;
  return `'${names}${valueSpec(flag)}'`;
}

function valueSpec(flag: Flag): string {
  const { description, takesValue, choices, isPath } = flag;
  const text = `[${quoted(description)}]`;
  if (!takesValue) return text;
  if (choices.length > 0) return `${text}:value:(${choices.join(' ')})`;
  if (flag.isEnvironment) return `${text}:environment:($(${environmentsCommand} 2>/dev/null))`;
  return isPath ? `${text}:file:_files` : `${text}:value:`;
}

function functionName({ path }: WordNode): string {
  return `_${path.replace(/[ -]/g, '_')}`;
}

function quoted(text: string): string {
  return text.replace(/'/g, "'\\''").replace(/[[\]:]/g, (bracket) => `\\${bracket}`);
}
