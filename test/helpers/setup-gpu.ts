import type { TestProject } from 'vitest/node'
import { swiftshaderEnv, unpackSwiftshader } from './swiftshader.js'

/**
 * Has the tests of a project run on SwiftShader, unless the caller names a driver. The dynamic loader reads the variables when a
 * process starts, so they have to stand here before the workers are forked.
 */
export default function setup(project: TestProject): void {
  if (process.env.VK_ICD_FILENAMES) return
  const folder = unpackSwiftshader()
  if (folder) project.config.env = { ...project.config.env, ...swiftshaderEnv(folder) }
}
