import type { HistoryData, LayerData, MotionData } from '../../plots/index.js'
import type { ArrayRef, HistoryView, MotionView, ResultView } from './manifest.js'
import type { OpenedResult } from './open-result.js'
import { DEFAULT_WEDGE_ANGLE_DEG, runFacts } from './run-meta.js'
import type { ArrayStore } from './store.js'

/** A result as sent to the page, its arrays in the store under `prefix`. */
export function sendResult(
  {
    name,
    place,
    meta,
    image,
    history,
    histories,
    coverage,
    motion,
    moving,
    target,
    note,
    scene,
    sceneNote,
  }: OpenedResult,
  prefix: string,
  store: ArrayStore,
): ResultView {
  const axis = (id: string, data: Float64Array): ArrayRef => store.add(`${prefix}/${id}`, data, [data.length])
  const matrices = (id: string, layers: LayerData[], shape: number[]) =>
    layers.map((l) => ({ ...l, data: store.add(`${prefix}/${id}/${l.name}`, l.data, [...shape, 2]) }))
  const view: ResultView = { name, place, facts: runFacts(meta), targetNote: note, sceneNote }
  if (image) {
    const { rangeM, crossRangeM, outline } = image
    view.image = {
      ...image,
      rangeM: axis('range', rangeM),
      crossRangeM: axis('cross-range', crossRangeM),
      layers: matrices('image', image.layers, [rangeM.length, crossRangeM.length]),
      outline: outline && { silhouette: axis('silhouette', outline.silhouette), edges: axis('sharp-edges', outline.edges) }, // prettier-ignore
    }
  }
  const sent = (one: HistoryData, id: string): HistoryView => {
    const { freqHz, thetaDeg, phiDeg } = one
    return {
      ...one,
      freqHz: axis(`${id}freq`, freqHz),
      thetaDeg: axis(`${id}theta`, thetaDeg),
      phiDeg: axis(`${id}phi`, phiDeg),
      layers: matrices(`${id}history`, one.layers, [freqHz.length, phiDeg.length]),
      bars: one.bars?.map(({ name: layer, data }) => ({
        name: layer,
        data: store.add(`${prefix}/${id}bars/${layer}`, data, [freqHz.length, phiDeg.length]),
      })),
    }
  }
  if (history) view.history = sent(history, '')
  if (histories) view.histories = histories.map((one, i) => sent(one, `tx${i}/`))
  if (coverage) {
    const { freqHz, positionM } = coverage
    view.coverage = {
      ...coverage,
      freqHz: axis('freq', freqHz),
      positionM: axis('receivers', positionM),
      layers: matrices('transfer', coverage.layers, [freqHz.length, positionM.length / 3]),
    }
  }
  if (motion) view.motion = sendMotion(motion, axis, (id, data, shape) => store.add(`${prefix}/${id}`, data, shape)) // prettier-ignore
  if (moving && meta?.motion) {
    const { positions, triangles, facetPart, pose } = moving
    const { thetaDeg, phiDeg, f0_hz, f1_hz } = meta.motion.radar
    view.moving = {
      positions: store.add(`${prefix}/positions`, positions, [positions.length / 3, 3]),
      triangles: store.add(`${prefix}/triangles`, triangles, [triangles.length / 3, 3]),
      facetPart: store.add(`${prefix}/parts`, facetPart, [facetPart.length]),
      pose: store.add(`${prefix}/poses`, pose, [pose.length / 12, 3, 4]),
      parts: meta.motion.parts,
      thetaDeg,
      phiDeg,
      freqHz: (f0_hz + f1_hz) / 2,
    }
  }
  if (scene) {
    const { walls, transmitterM, paths } = scene
    const listed = Uint32Array.from(paths?.receivers ?? [])
    view.scene = {
      positions: store.add(`${prefix}/walls`, walls.positions, [walls.positions.length / 3, 3]),
      triangles: store.add(`${prefix}/wall-triangles`, walls.triangles, [walls.triangles.length / 3, 3]),
      transmitterM,
      listed: store.add(`${prefix}/listed`, listed, [listed.length]),
      pathsAt: `${prefix}/paths-`,
    }
  }
  if (target) {
    const { positions, triangles, facetMaterial, materials } = target.target
    const edges = target.edgeAngleDeg.length
    view.target = {
      positions: store.add(`${prefix}/positions`, positions, [positions.length / 3, 3]),
      triangles: store.add(`${prefix}/triangles`, triangles, [triangles.length / 3, 3]),
      edges: store.add(`${prefix}/edges`, target.edgesM, [edges, 2, 3]),
      edgeAngleDeg: axis('edge-angles', target.edgeAngleDeg),
      maxWedgeAngleDeg: meta?.options?.maxWedgeAngleDeg ?? DEFAULT_WEDGE_ANGLE_DEG,
      conducts: !meta?.mesh?.materials,
      ...(meta?.mesh?.ground && { groundM: meta.mesh.ground.height_m }),
      ...(target.ground && { ground: target.ground }),
      // Facets that preparing the mesh again took out would shift the numbers.
      ...(target.groups?.facetGroup.length === triangles.length / 3 && {
        facetGroup: store.add(`${prefix}/groups`, target.groups.facetGroup, [triangles.length / 3]),
        groupNames: target.groups.names,
      }),
      ...(facetMaterial && {
        materials,
        facetMaterial: store.add(`${prefix}/materials`, facetMaterial, [facetMaterial.length]),
      }),
    }
  }
  return view
}

function sendMotion(
  { timeS, dopplerHz, maps, turnS, layers }: MotionData,
  axis: (id: string, data: Float64Array) => ArrayRef,
  add: (id: string, data: Float32Array, shape: number[]) => ArrayRef,
): MotionView {
  const shape = maps && [maps.timeS.length, maps.rangeM.length, maps.dopplerHz.length]
  return {
    timeS: axis('times', timeS),
    dopplerHz: axis('doppler', dopplerHz),
    ...(turnS !== undefined && { turnS }),
    ...(maps && {
      maps: {
        timeS: axis('map-times', maps.timeS),
        rangeM: axis('map-range', maps.rangeM),
        dopplerHz: axis('map-doppler', maps.dopplerHz),
      },
    }),
    layers: layers.map(({ name, title, spectrogram, maps: of }) => ({
      name,
      title,
      spectrogram: add(`spectrogram/${name}`, spectrogram, [dopplerHz.length, timeS.length]),
      ...(of && { maps: add(`maps/${name}`, of, shape!) }),
    })),
  }
}
