/** The completion script for fish. */

import { allNodes, environmentsCommand, type Flag, lastWord, type WordNode } from './word-tree.ts';

export function fishCompletion(root: WordNode): string {
  const lines = allNodes(root).flatMap((node) => [
    ...node.commands.map((child) =>
      line(node, `-f -a ${lastWord(child)} -d '${quoted(child.description)}'`),
    ),
    ...node.choices.map((choice) => line(node, `-f -a ${choice}`)),
    ...node.flags.map((flag) => line(node, flagWords(flag))),
  ]);
  return `# fish completion of svc: svc completions fish > ~/.config/fish/completions/svc.fish
set -g __svc_paths ${allNodes(root)
    .map(({ path }) => `'${path}'`)
    .join(' ')}
function __svc_path
  set -l path svc
  for word in (commandline -opc)[2..-1]
    if contains -- "$path $word" $__svc_paths
      set path "$path $word"
    end
  end
  echo $path
end
${lines.join('\n')}
`;
}

function line({ path }: WordNode, words: string): string {
  return `complete -c svc -n 'test (__svc_path) = "${path}"' ${words}`;
}

function flagWords(flag: Flag): string {
  const { long, short, description, takesValue, choices, isPath } = flag;
  const words = [`-l ${long.slice(2)}`];
  if (short !== undefined) words.push(`-s ${short.slice(1)}`);
  if (takesValue) words.push(isPath ? '-r' : '-x');
  if (choices.length > 0) words.push(`-a '${choices.join(' ')}'`);
  if (flag.isEnvironment) words.push(`-a '(${environmentsCommand} 2>/dev/null)'`);
  words.push(`-d '${quoted(description)}'`);
  return words.join(' ');
}

function quoted(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/'/g, "\\'");
}
