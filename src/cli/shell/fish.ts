import { VERSION } from '../../version.js'
import { type CommandText, everyCommand, isPath, steps } from './describe.js'

/** Completion for fish 3 and later. */
export function fishCompletion(root: CommandText): string {
  const all = everyCommand(root)
  return `# fish completion of isar ${VERSION}; made by: isar completion fish
function __isar_at --description 'whether the words so far lead to this command'
    set -l at ''
    set -l tokens (commandline -opc)
    for word in $tokens[2..-1]
        switch "$at $word"
${steps(root)
  .map(
    ({ from, word, to }) =>
      `            case ${quote(`${from} ${word}`)}\n                set at ${quote(to)}`,
  )
  .join('\n')}
        end
    end
    test "$at" = "$argv[1]"
end
complete -c isar -f
${all.flatMap(lines).join('\n')}
`
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function lines({ path, options, commands, arguments: args }: CommandText): string[] {
  const here = `complete -c isar -n ${quote(`__isar_at ${quote(path)}`)}`
  return [
    ...commands.map((sub) => `${here} -a ${sub.path.split(' ').at(-1)!} -d ${quote(sub.summary)}`),
    ...args.map(({ name, choices, text }) =>
      choices.length > 0
        ? `${here} -a ${quote(choices.join(' '))} -d ${quote(text)}`
        : isPath(name)
          ? `${here} -F`
          : '',
    ),
    ...options.map(({ long, value, optional, choices, text }) => {
      const takes =
        value === undefined || optional
          ? ''
          : isPath(value)
            ? ' -r -F'
            : choices.length > 0
              ? ` -x -a ${quote(choices.join(' '))}`
              : ' -x'
      return `${here} -l ${long.slice(2)}${takes} -d ${quote(text)}`
    }),
  ].filter(Boolean)
}
