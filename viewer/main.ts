import { Application } from './application.js'
import { loadDataset, loadManifest, loadResult } from './data.js'

async function start(): Promise<void> {
  const { results, dataset } = await loadManifest()
  const loaded = await Promise.all(results.map(loadResult))
  const application = new Application(loaded, dataset ? await loadDataset(dataset) : null)
  application.start()
}

start().catch((error: Error) => {
  const failure = document.querySelector<HTMLElement>('#failure')!
  failure.textContent = `The result could not be shown: ${error.message}`
  failure.hidden = false
})
