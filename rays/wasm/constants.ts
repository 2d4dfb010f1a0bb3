// Constants of rays in double precision, for TypeScript (rays/ray-scene.ts) and AssemblyScript alike: without types, so that both read them.

/** A reflected ray starts this part of the box diagonal above the facet it leaves. */
export const DOUBLE_OFFSET = 1e-10
/** Rays that meet a facet's plane at less than this |cos| pass it by. */
export const GRAZING_COSINE = 1e-9
