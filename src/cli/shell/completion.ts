import { Argument, type Command } from 'commander'
import type { Console } from '../console.js'
import { VERSION } from '../../../run/version.js'
import { type CommandText, describeProgram, everyCommand, isPath, steps } from './describe.js'

/** Completion for bash 3.2 and later, without the package bash-completion. */
export function bashCompletion(root: CommandText): string {
  const all = everyCommand(root)
  return `# bash completion of isar ${VERSION}; made by: isar completion bash
_isar() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at='' words='' options='' files='' i
  # Bash takes --option=value for three words.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
${steps(root)
  .map(({ from, word, to }) => `    '${from} ${word}') at='${to}' ;;`)
  .join('\n')}
    esac
  done
  COMPREPLY=()
  case "$at $prev" in
${all.flatMap(bashValueCases).join('\n')}
  esac
  if [[ -z $words && -z $files ]]; then
    case $at in
${all.map(bashWordCase).join('\n')}
    esac
    if [[ $cur == -* || -z $words$files ]]; then
      words=$options
    fi
  fi
  [[ $words == '-' ]] && return
  local IFS=$'\\n'
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "\${words// /$'\\n'}" -- "$cur"))
  fi
  if [[ -n $files && $cur != -* ]]; then
    COMPREPLY+=($(compgen -f -- "$cur"))
    compopt -o filenames 2> /dev/null
  fi
}
complete -F _isar isar
`
}

/** After an option that takes a value: its choices, files, or (\`-\`) nothing that could be known. */
function bashValueCases({ path, options }: CommandText): string[] {
  return options
    .filter(({ value, optional }) => value !== undefined && !optional)
    .map(({ long, value, choices }) => {
      const what = isPath(value!) ? 'files=1' : `words='${choices.length > 0 ? choices.join(' ') : '-'}'`
      return `  '${path} ${long}') ${what} ;;`
    })
}

/** What follows a command: words, files; its options once a dash is typed, or where there is nothing else. */
function bashWordCase({ path, options, commands, arguments: args }: CommandText): string {
  const words = [
    ...commands.map((sub) => sub.path.split(' ').at(-1)!),
    ...args.flatMap(({ choices }) => choices),
  ]
  const files = args.some(({ name, choices }) => choices.length === 0 && isPath(name))
  const long = options.map((option) => option.long).join(' ')
  return `    '${path}') words='${words.join(' ')}' options='${long}'${files ? ' files=1' : ''} ;;`
}

/** Completion for fish 3 and later. */
function fishCompletion(root: CommandText): string {
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
      `            case ${fishQuote(`${from} ${word}`)}\n                set at ${fishQuote(to)}`,
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

const fishQuote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function lines({ path, options, commands, arguments: args }: CommandText): string[] {
  const here = `complete -c isar -n ${fishQuote(`__isar_at ${fishQuote(path)}`)}`
  return [
    ...commands.map((sub) => `${here} -a ${sub.path.split(' ').at(-1)!} -d ${fishQuote(sub.summary)}`),
    ...args.map(({ name, choices, text }) =>
      choices.length > 0
        ? `${here} -a ${fishQuote(choices.join(' '))} -d ${fishQuote(text)}`
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
              ? ` -x -a ${fishQuote(choices.join(' '))}`
              : ' -x'
      return `${here} -l ${long.slice(2)}${takes} -d ${fishQuote(text)}`
    }),
  ].filter(Boolean)
}

/** Completion for zsh. */
function zshCompletion(root: CommandText): string {
  const all = everyCommand(root)
  return `#compdef isar
# zsh completion of isar ${VERSION}; made by: isar completion zsh
_isar() {
  local at='' previous=\${words[CURRENT-1]} files='' i
  local -a known flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
${steps(root)
  .map(({ from, word, to }) => `    (${zshQuote(`${from} ${word}`)}) at=${zshQuote(to)} ;;`)
  .join('\n')}
    esac
  done
  case "$at $previous" in
${all.flatMap(zshValueCases).join('\n')}
  esac
  case $at in
${all.map(zshWordCase).join('\n')}
  esac
  # Options once a dash is typed, or where there is nothing else.
  if [[ $PREFIX == -* || ( $#known -eq 0 && -z $files ) ]]; then
    _describe -o option flags
  else
    (( $#known )) && _describe word known
    [[ -n $files ]] && _files
  fi
}
if [[ \${funcstack[1]} == _isar ]]; then
  _isar "$@"
else
  compdef _isar isar
fi
`
}

const zshQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** An entry of \`_describe\`: the word, a colon, what it is. */
const entry = (word: string, text: string): string => zshQuote(`${word.replaceAll(':', '\\:')}:${text}`)

function zshValueCases({ path, options }: CommandText): string[] {
  return options
    .filter(({ value, optional }) => value !== undefined && !optional)
    .map(({ long, value, choices }) => {
      const what = isPath(value!)
        ? '_files'
        : choices.length > 0
          ? `compadd -- ${choices.join(' ')}`
          : `_message ${zshQuote(value!)}`
      return `  (${zshQuote(`${path} ${long}`)}) ${what}; return ;;`
    })
}

function zshWordCase({ path, options, commands, arguments: args }: CommandText): string {
  const known = [
    ...commands.map((sub) => entry(sub.path.split(' ').at(-1)!, sub.summary)),
    ...args.flatMap(({ choices, text }) => choices.map((choice) => entry(choice, text))),
  ]
  const files = args.some(({ name, choices }) => choices.length === 0 && isPath(name))
  const long = options.map((option) => entry(option.long, option.text))
  return `  (${zshQuote(path)}) known=(${known.join(' ')}) flags=(${long.join(' ')}) files=${files ? 1 : ''} ;;`
}

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

export function completionCommand(command: Command, out: Console): void {
  command
    .addArgument(new Argument('<shell>', 'whose completion is printed').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      `
To have it in every new shell:
  bash  isar completion bash > ~/.local/share/bash-completion/completions/isar
        (without the package bash-completion: echo 'source <(isar completion bash)' >> ~/.bashrc)
  zsh   isar completion zsh > DIR/_isar, where DIR is a folder of $fpath
  fish  isar completion fish > ~/.config/fish/completions/isar.fish`,
    )
    .action(async (shell: keyof typeof SHELLS) => {
      out.print(SHELLS[shell](await describeProgram()))
    })
}
