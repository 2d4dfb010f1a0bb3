// Loaded before everything else (--import): the GPU device goes wrong as ISAR_TEST_FAULT says ("lost", "error", "compile" or
// "allocation"), at submission, shader or buffer number ISAR_TEST_AT.
import { isMainThread } from 'node:worker_threads'

const { ISAR_TEST_FAULT: fault, ISAR_TEST_AT: at } = process.env

/** Replaces a method of the device by one that goes wrong at the given call. */
function wrap(owner, name, wrong) {
  const right = owner[name].bind(owner)
  let calls = 0
  owner[name] = (...args) => (++calls === Number(at) ? wrong(right, ...args) : right(...args))
}

const FAULTS = {
  lost: (device) =>
    wrap(device.queue, 'submit', (submit, commands) => {
      submit(commands)
      device.destroy()
    }),
  error: (device) =>
    wrap(device.queue, 'submit', (submit, commands) => {
      submit(commands)
      device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE })
    }),
  compile: (device) =>
    wrap(device, 'createShaderModule', (create, { label, code }) =>
      create({ label, code: `${code}\nfn broken( {` }),
    ),
  allocation: (device) =>
    wrap(device, 'createBuffer', (create, { label, usage }) =>
      create({ label, usage, size: device.limits.maxBufferSize + 4 * 1024 ** 3 }),
    ),
}

if (isMainThread && fault) {
  const { globals } = await import('webgpu')
  const adapter = globals.GPUAdapter.prototype
  const { requestDevice } = adapter
  adapter.requestDevice = async function (descriptor) {
    const device = await requestDevice.call(this, descriptor)
    FAULTS[fault](device)
    return device
  }
}
