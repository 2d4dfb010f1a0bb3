import { VERSION } from '../../version.js'
import { type CommandText, everyCommand, isPath, steps } from './describe.js'

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
${all.flatMap(valueCases).join('\n')}
  esac
  if [[ -z $words && -z $files ]]; then
    case $at in
${all.map(wordCase).join('\n')}
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
function valueCases({ path, options }: CommandText): string[] {
  return options
    .filter(({ value, optional }) => value !== undefined && !optional)
    .map(({ long, value, choices }) => {
      const what = isPath(value!) ? 'files=1' : `words='${choices.length > 0 ? choices.join(' ') : '-'}'`
      return `  '${path} ${long}') ${what} ;;`
    })
}

/** What follows a command: words, files; its options once a dash is typed, or where there is nothing else. */
function wordCase({ path, options, commands, arguments: args }: CommandText): string {
  const words = [
    ...commands.map((sub) => sub.path.split(' ').at(-1)!),
    ...args.flatMap(({ choices }) => choices),
  ]
  const files = args.some(({ name, choices }) => choices.length === 0 && isPath(name))
  const long = options.map((option) => option.long).join(' ')
  return `    '${path}') words='${words.join(' ')}' options='${long}'${files ? ' files=1' : ''} ;;`
}
