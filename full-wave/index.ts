/**
 * Full wave: a target in; its mesh for currents, the matrix of the method of moments, its factors and scattered fields out.
 * Runs in Node and in a browser. Conductors; time factor exp(+jωt); lengths [m], amplitudes F [m] about the mesh's origin.
 */
export type { CurrentMesh } from './current-mesh.js'
export { meshForCurrents, type CurrentMeshOptions } from './mesh-for-currents.js'
export { meshQuality, triangleQualities, type MeshQuality } from './mesh-quality.js'
export { estimateUnknowns } from './estimate-unknowns.js'
