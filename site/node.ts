// What the pipeline takes of Node, in a browser.

/** A browser does not warn of many listeners. */
export const setMaxListeners = (): void => {}

/** The next turn of the event loop; a timer would wait for milliseconds. */
export const setImmediate = (): Promise<void> =>
  new Promise((done) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      done()
    })
    port1.start()
    port2.postMessage(null)
  })
