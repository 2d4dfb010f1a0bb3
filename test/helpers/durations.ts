import type { Reporter, TestModule } from 'vitest/node'

/** Longest files that are listed. */
const SHOWN = 15

/** Prints seconds of tests by project, and the longest files. */
export default class Durations implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const { duration, collectDuration } = module.diagnostic()
      return {
        name: module.relativeModuleId,
        project: module.project.name,
        s: (duration + collectDuration) / 1000,
      }
    })
    const projects = new Map<string, number>()
    for (const { project, s } of files) projects.set(project, (projects.get(project) ?? 0) + s)
    const line = (s: number, name: string): string => `${s.toFixed(0).padStart(7)}  ${name}\n`
    process.stdout.write('\nSeconds of tests by project\n')
    for (const [name, s] of [...projects].sort((a, b) => b[1] - a[1])) process.stdout.write(line(s, name))
    process.stdout.write('Longest files\n')
    for (const { s, name } of files.sort((a, b) => b.s - a.s).slice(0, SHOWN))
      process.stdout.write(line(s, name))
  }
}
