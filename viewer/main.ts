import { Application } from './application.js'
import { loadManifest, loadResult } from './data.js'

async function start(): Promise<void> {
  const manifest = await loadManifest()
  const results = await Promise.all(manifest.results.map(loadResult))
  const application = new Application(results)
  application.start()
}

start().catch((error: Error) => {
  const failure = document.querySelector<HTMLElement>('#failure')!
  failure.textContent = `The result could not be shown: ${error.message}`
  failure.hidden = false
})
