export { writeFileAtomic } from './atomic.js'
export { readNpz, writeNpz, type NpyArray } from './npz.js'
export { readMesh } from './read-mesh.js'
export { writeBinaryStl } from './stl-write.js'
