import { Argument, type Command } from 'commander'
import { bashCompletion } from './shell/bash.js'
import { describeProgram } from './shell/describe.js'
import { fishCompletion } from './shell/fish.js'
import { zshCompletion } from './shell/zsh.js'

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

export function completionCommand(command: Command): void {
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
      process.stdout.write(SHELLS[shell](await describeProgram()))
    })
}
