export { GpuError, isSoftwareAdapter, openDevice, type GpuContext } from './device.js'
export { GpuSbrEngine } from './sbr/engine.js'
