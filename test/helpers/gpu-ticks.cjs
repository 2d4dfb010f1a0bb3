// Loaded before everything else (--require). Dawn asks a device again and again, each time the event loop comes round, while it waits for one: a
// processor's whole time, which a software device's threads would use. Here it waits between.
const { setImmediate: soon, setTimeout: later } = globalThis
const source = Function.prototype.toString
const BETWEEN_MS = 2

/** Dawn's own function has no source, no name and no parameter, as that of a promise has. */
const isDawns = (f) => f.name === '' && f.length === 0 && source.call(f).includes('[native code]')

globalThis.setImmediate = Object.assign(
  (f, ...args) => (isDawns(f) ? later(f, BETWEEN_MS) : soon(f, ...args)),
  soon,
)
