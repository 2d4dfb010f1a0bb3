import { VERSION } from '../../version.js'
import { type CommandText, everyCommand, isPath, steps } from './describe.js'

/** Completion for zsh. */
export function zshCompletion(root: CommandText): string {
  const all = everyCommand(root)
  return `#compdef isar
# zsh completion of isar ${VERSION}; made by: isar completion zsh
_isar() {
  local at='' previous=\${words[CURRENT-1]} files='' i
  local -a known flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
${steps(root)
  .map(({ from, word, to }) => `    (${quote(`${from} ${word}`)}) at=${quote(to)} ;;`)
  .join('\n')}
    esac
  done
  case "$at $previous" in
${all.flatMap(valueCases).join('\n')}
  esac
  case $at in
${all.map(wordCase).join('\n')}
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

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** An entry of \`_describe\`: the word, a colon, what it is. */
const entry = (word: string, text: string): string => quote(`${word.replaceAll(':', '\\:')}:${text}`)

function valueCases({ path, options }: CommandText): string[] {
  return options
    .filter(({ value, optional }) => value !== undefined && !optional)
    .map(({ long, value, choices }) => {
      const what = isPath(value!)
        ? '_files'
        : choices.length > 0
          ? `compadd -- ${choices.join(' ')}`
          : `_message ${quote(value!)}`
      return `  (${quote(`${path} ${long}`)}) ${what}; return ;;`
    })
}

function wordCase({ path, options, commands, arguments: args }: CommandText): string {
  const known = [
    ...commands.map((sub) => entry(sub.path.split(' ').at(-1)!, sub.summary)),
    ...args.flatMap(({ choices, text }) => choices.map((choice) => entry(choice, text))),
  ]
  const files = args.some(({ name, choices }) => choices.length === 0 && isPath(name))
  const long = options.map((option) => entry(option.long, option.text))
  return `  (${quote(path)}) known=(${known.join(' ')}) flags=(${long.join(' ')}) files=${files ? 1 : ''} ;;`
}
