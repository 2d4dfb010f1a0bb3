import { MAX_SUBDIVISIONS, type RayScene } from '../../rays/index.js'
import { array, struct, uniform } from '../layout.js'

/** Constant over an aspect. Two-float numbers are vec2f (high, low); of two-float vectors the low parts stand in `...Lo`. */
export const SBR_JOB = uniform('Job', {
  base: ['vec3f', 'launch point of lattice offset 0 [m]'],
  baseLo: ['vec3f', ''],
  u: ['vec3f', 'lattice axes'],
  uLo: ['vec3f', ''],
  v: ['vec3f', ''],
  vLo: ['vec3f', ''],
  d: ['vec3f', 'direction of incidence'],
  dLo: ['vec3f', ''],
  s: ['vec3f', 'direction to the receiver'],
  sLo: ['vec3f', ''],
  txV: ['vec3f', 'e_tx of polarisation V: theta-hat'],
  txH: ['vec3f', 'and of H: phi-hat'],
  rxV: ['vec3f', 'e_rx of polarisation V: theta-hat'],
  rxH: ['vec3f', 'and of H: phi-hat'],
  tubeSide: ['vec2f', 'side of a tube [m], two-float'],
  offsetU: ['vec2f', 'offset of the lattice along u [cells], two-float'],
  offsetV: ['vec2f', 'and along v'],
  cyclesPerMetre: ['vec2f', 'f0/c [1/m], two-float'],
  cyclesPerMetreStep: ['vec2f', 'df/c [1/m], two-float'],
  wavenumber: ['f32', 'k at f0 [rad/m]'],
  wavenumberStep: ['f32', 'dk from frequency to frequency [rad/m]'],
  lift: ['f32', 'start of a reflected ray above its facet [m]'],
  diagonal: ['f32', "of the target's box [m]"],
  zero: ['u32', 'always 0: see two_float'],
  exitForm: ['u32', '1: only the last bounce radiates, invalid tubes are dropped'],
  onlyBounce: ['u32', 'the bounce that may radiate, counted from 1; 0: all'],
  depth: ['u32', 'subdivisions of an invalid tube'],
  fixedExponent: ['i32', 'sums are integers times 2^-fixed_exponent m^2'],
  frequencies: ['u32', 'of the band'],
  leafCapacity: ['u32', 'entries of the lists'],
  tailCapacity: ['u32', ''],
  quadCapacity: ['u32', ''],
  recordCapacity: ['u32', ''],
  quadRecordCapacity: ['u32', ''],
  groupCapacity: ['u32', ''],
  itemCapacity: ['u32', ''],
  chunkCapacity: ['u32', ''],
  tileCapacity: ['u32', ''],
  slots: ['u32', 'facets'],
  facetLists: ['u32', '1: the candidates of reflected rays have been looked for'],
  materialNodes: ['u32', 'of the band, on a target with materials'],
})

/** Changes from dispatch to dispatch. */
export const SBR_STEP = uniform('Step', {
  cellI: ['i32', "lattice index of the batch's first cell (level 0)"],
  cellJ: ['i32', ''],
  tilesI: ['u32', 'tiles of the batch along i'],
  tilesJ: ['u32', 'and along j'],
  level: ['u32', 'refinement of the cells that this dispatch handles'],
  firstFrequency: ['u32', ''],
  frequencyCount: ['u32', ''],
  firstTotal: ['u32', "the direction's first value in the totals [frequencies]"],
  directionChange: ['vec3f', 'of an extrapolation: the direction before, minus this one'],
})

/** The contributions that are summed together, in their order: first entries of the lists, and how many. */
export const GROUP = struct('Group', {
  leaf: ['u32', ''],
  leaves: ['u32', ''],
  record: ['u32', ''],
  records: ['u32', ''],
  quad: ['u32', ''],
  quads: ['u32', ''],
  quadRecord: ['u32', ''],
  quadRecords: ['u32', ''],
})

/** Levels of refinement, the tubes' own among them. */
const LEVELS = MAX_SUBDIVISIONS + 1

/** Words of the counter buffer: of a batch, then, from `overflow` on, of the aspect. */
export const SBR_COUNTERS = struct('Counters', {
  groups: ['u32', 'entries of the lists'],
  tiles: ['u32', 'occupied tiles'],
  chunks: [array('u32', LEVELS), 'of cells to subdivide, by their level'],
  items: [array('u32', LEVELS), 'cells to subdivide, by their level'],
  batchLeaves: ['u32', ''],
  batchQuads: ['u32', ''],
  batchRecords: ['u32', ''],
  batchQuadRecords: ['u32', ''],
  tails: ['u32', ''],
  overflow: ['u32', 'nonzero: a list was too short, the aspect must be run again in smaller batches'],
  totalRecords: ['u32', 'contributions'],
  notFinite: ['u32', 'nonzero: a sum was infinite, not a number or too large'],
  litLeaves: [array('u32', LEVELS), 'by level'],
  cutOffLeaves: [array('u32', LEVELS), 'those of them that the bounce limit cuts off'],
})

/** What a corner ray decides by. */
export const CORNER = struct('Corner', {
  surfaceKey: ['u32', 'hash of the surfaces met'],
  normalsKey: ['u32', 'hash of the normals of the facets met'],
  first: ['u32', 'facet met first'],
})

/** Facets of a path that its records hold; those of the few longer ones go on in a tail. */
export const KEPT_FACETS = 5

/** Bit of a facet's word. */
export const RADIATES = 0x80000000

/** On targets with sheets: what words of a path hold besides (branches.wgsl). */
export const BRANCH_CONSTANTS = {
  /** Bits of a word: a sheet between the last hit and the receiver; a hit whose transmitted wave is taken up later; the hit of one taken up. */
  SIGHT: 0x40000000,
  SAVED: 0x20000000,
  RESUMED: 0x10000000,
  FACET: 0x0fffffff,
  /** Bits of a facet's material: a sheet; of the mirror image, below a ground that is no mirror; a conductor. */
  SHEET: 0x100,
  BELOW: 0x200,
  METAL: 0x400,
  /** Bit of the counter of overflows: a path has more words than there is room for. */
  LONG_PATH: 2,
  /** The power of a tube, where the part that the bounce limit cuts off is counted. */
  CUT_OFF_UNITS: 127,
}

/** Words of a path on a target with sheets: at first, and at the most (branch_counts.wgsl has 11 bits). */
export const PATH_WORDS = 64
export const MOST_PATH_WORDS = 2047

/** Words of a tail: those of the longest path beyond the first KEPT_FACETS, one after the other. */
export const tailWords = (longest: number): number => Math.max(0, longest - KEPT_FACETS)

const pathRecord = {
  tail: ['u32', 'tail of a path of more than KEPT_FACETS bounces'],
  facets: [array('u32', KEPT_FACETS), 'met; bit RADIATES: the bounce radiates'],
} as const

/** A central ray as it is kept between kernels. */
export const CENTRE = struct('Centre', {
  surfaceKey: ['u32', ''],
  normalsKey: ['u32', ''],
  counts: [
    'u32',
    'bounces; shifted by RADIATING_SHIFT those that radiate; bit CUT_OFF_BIT: and one more beyond the limit',
  ],
  ...pathRecord,
})

/** A cell to subdivide. */
export const ITEM = struct('Item', {
  cell: ['u32', 'i | j << 16 within the batch at its level'],
  corners: [array(CORNER, 4), '00 10 01 11'],
  centre: [CORNER, ''],
})

/** A run of cells to subdivide, of one workgroup. */
export const CHUNK = struct('Chunk', {
  first: ['u32', 'item'],
  count: ['u32', 'items'],
})

/** A tube whose bounces radiate through parallelograms: a valid one, or one at the last level of subdivision. */
export const LEAF = struct('Leaf', {
  cell: ['u32', 'i | j << 16 within the batch at its level'],
  levelCount: ['u32', 'level | bounces << 8'],
  record: ['u32', 'its first contribution'],
  ...pathRecord,
})

/** A tube across facets of one smooth surface: one bounce, on the quadrilateral of its corner rays. */
export const QUAD = struct('Quad', {
  cell: ['u32', 'i | j << 16 within the batch at its level'],
  level: ['u32', ''],
  record: ['u32', 'its contribution'],
  facet: ['u32', 'that the central ray meets'],
  cornerFacets: [array('u32', 4), 'that the corner rays meet: ++ -+ -- +-'],
})

/** What a bounce radiates through a parallelogram. */
export const CONTRIBUTION = struct('Contribution', {
  cycles: ['vec2u', 'of the path length at f0, and from frequency to frequency [2^-32]'],
  spans: ['vec2f', "half phase spans w.p / 2 and w.q / 2 of the footprint's sides p, q [m]"],
  amplitudes: ['vec4f', 'A of VV HH VH HV, times the area [m^2]'],
})

/** What a bounce radiates through a quadrilateral: edges as in Gordon's integral (docs/theory.md, "Shape function"). */
export const QUAD_CONTRIBUTION = struct('QuadContribution', {
  cycles: ['vec2u', 'of the path length at f0, and from frequency to frequency [2^-32]'],
  amplitudes: ['vec4f', 'A of VV HH VH HV'],
  edges: [array('vec2f', 4), 'x / k and phi / k of each edge [m]'],
  weights: ['vec4f', 'g / |w_t|^2 of each edge [m]'],
})

/** Plane n.r = offset of a facet, in two-float numbers. */
export const FACET_PLANE = struct('FacetPlane', {
  normal: ['vec3f', 'unit normal n'],
  offset: ['f32', '[m]'],
  normalLo: ['vec3f', 'low parts'],
  offsetLo: ['f32', ''],
})

/**
 * A facet as rays are tested against it: in rows of four words, since they are loaded so; the corner's coordinates fill the rows. For a
 * point p of the plane gradient1.(p - corner) and gradient2.(p - corner) are barycentric coordinates.
 */
export const SLOT = struct('Slot', {
  normal: ['vec3f', 'unit normal'],
  cornerX: ['f32', "the enlarged facet's first corner [m]"],
  gradient1: ['vec3f', '[1/m]'],
  cornerY: ['f32', ''],
  gradient2: ['vec3f', '[1/m]'],
  cornerZ: ['f32', ''],
})
/** Rows of a slot. */
export const SLOT_ROWS = SLOT.words / 4

/** A node of the BVH with up to four children: their boxes [m], coordinate by coordinate, and references (bvh_nodes.wgsl). */
export const WIDE_NODE = struct('WideNode', {
  minX: ['vec4f', ''],
  minY: ['vec4f', ''],
  minZ: ['vec4f', ''],
  maxX: ['vec4f', ''],
  maxY: ['vec4f', ''],
  maxZ: ['vec4f', ''],
  children: ['vec4u', ''],
})

/** A node of the BVH with two children, level by level, threaded with ropes: directions +x -x +y -y +z -z (traversal_ropes.wgsl). */
export const ROPE_NODE = struct('RopeNode', {
  low: ['vec3f', 'corner of its box [m]'],
  first: ['u32', 'first child, or slot'],
  high: ['vec3f', ''],
  count: ['u32', 'slots; 0: inner node'],
  ropes: [array('u32', 6), 'by direction the node that follows once the subtree is done with'],
  secondFirst: ['u32', 'by direction one bit: the second child comes first'],
})

/** A ray to be queried, and what it meets. */
export const QUERY = struct('Query', {
  origin: ['vec3f', '[m]'],
  direction: ['vec3f', 'unit vector'],
})
export const QUERY_HIT = struct('QueryHit', {
  t: ['f32', 'distance [m]'],
  facet: ['u32', 'NO_FACET: none'],
})

/**
 * Boxes are widened by this part of the box diagonal on each side: more than single precision errs by in a slab test
 * (docs/ray-engine.md, "Nothing is lost"), so that no box hides a facet that the ray meets.
 */
const BOX_MARGIN = 2e-6

/** Slots of a leaf fit three bits of a reference. */
const leafReference = (first: number, count: number): number => 16 * first + 2 * count + 1

interface Tree {
  /** Nodes as in `Bvh`: children `first` and `first + 1`, or slots first ... first + count. */
  first: Uint32Array
  count: Uint32Array
  /** 6 numbers a node: minimum, maximum, around the enlarged facets and widened. */
  boxes: Float32Array
}

/** The BVH with boxes around the enlarged facets. @param corners see `enlargedCorners` */
function refit(scene: RayScene, corners: Float64Array): Tree {
  const words = new Uint32Array(scene.nodes.buffer, scene.nodes.byteOffset, scene.nodes.length)
  const total = words.length / 8
  const first = new Uint32Array(total)
  const count = new Uint32Array(total)
  const exact = new Float64Array(6 * total)
  const boxes = new Float32Array(6 * total)
  const margin = BOX_MARGIN * scene.diagonal
  // Children stand behind their parents.
  for (let i = total - 1; i >= 0; i--) {
    first[i] = words[8 * i + 3]
    count[i] = words[8 * i + 7]
    // What the box goes around: corners, or two boxes by their minima and by their maxima.
    const leaf = count[i] > 0
    const points = leaf ? corners : exact
    const from = leaf ? 9 * first[i] : 6 * first[i]
    const end = leaf ? 9 * (first[i] + count[i]) : from + 12
    const step = leaf ? 3 : 6
    const second = leaf ? 0 : 3
    for (let a = 0; a < 3; a++) {
      let low = Infinity
      let high = -Infinity
      for (let p = from + a; p < end; p += step) {
        if (points[p] < low) low = points[p]
        if (points[p + second] > high) high = points[p + second]
      }
      exact[6 * i + a] = low
      exact[6 * i + 3 + a] = high
      boxes[6 * i + a] = low - margin
      boxes[6 * i + 3 + a] = high + margin
    }
  }
  return { first, count, boxes }
}

/** Where a node's missing child lies [m]: rays that meet this point find a leaf without slots there. */
const NOWHERE = 1e30

/**
 * The records WIDE_NODE. Of the two-child BVH's nodes the one with the largest box is opened first. The root is never a leaf.
 */
export function wideNodes(scene: RayScene, corners: Float64Array): Float32Array<ArrayBuffer> {
  const tree = refit(scene, corners)
  const { first, count, boxes } = tree
  const areas = halfAreas(boxes)
  const most = Math.max(1, (first.length - 1) / 2)
  const children = new Uint32Array(4 * most)
  const size = new Uint8Array(most)
  const number = new Uint32Array(first.length)
  const open = [0]
  let wide = 0
  while (open.length > 0) {
    const node = open.pop()!
    number[node] = wide
    size[wide] = openChildren(tree, areas, node, children, 4 * wide)
    for (let k = 4 * wide + size[wide] - 1; k >= 4 * wide; k--)
      if (count[children[k]] === 0) open.push(children[k])
    wide++
  }
  const { at, words: nodeWords } = WIDE_NODE
  const rows = [at.minX, at.minY, at.minZ, at.maxX, at.maxY, at.maxZ]
  const out = new Float32Array(nodeWords * wide)
  const words = new Uint32Array(out.buffer)
  for (let n = 0; n < wide; n++)
    for (let k = 0; k < 4; k++) {
      const node = nodeWords * n + k
      if (k >= size[n]) {
        for (const row of rows) out[node + row] = NOWHERE
        words[node + at.children] = leafReference(0, 0)
        continue
      }
      const c = children[4 * n + k]
      for (let a = 0; a < 6; a++) out[node + rows[a]] = boxes[6 * c + a]
      words[node + at.children] = count[c] > 0 ? leafReference(first[c], count[c]) : 16 * number[c]
    }
  return out
}

/** Half the surface of each box [m^2]. */
function halfAreas(boxes: Float32Array): Float64Array {
  const areas = new Float64Array(boxes.length / 6)
  for (let i = 0; i < areas.length; i++) {
    const x = boxes[6 * i + 3] - boxes[6 * i]
    const y = boxes[6 * i + 4] - boxes[6 * i + 1]
    const z = boxes[6 * i + 5] - boxes[6 * i + 2]
    areas[i] = x * y + y * z + z * x
  }
  return areas
}

/** Writes what takes a node's place in a node of four children to list[at ...], and returns how many there are. */
function openChildren(tree: Tree, areas: Float64Array, node: number, list: Uint32Array, at: number): number {
  const { first, count } = tree
  list[at] = node
  let size = 1
  for (let widest = count[node] === 0 ? at : -1; widest >= 0 && size < 4;) {
    const opened = first[list[widest]]
    for (let k = at + size; k > widest + 1; k--) list[k] = list[k - 1]
    list[widest] = opened
    list[widest + 1] = opened + 1
    size++
    widest = -1
    for (let k = at; k < at + size; k++)
      if (count[list[k]] === 0 && (widest < 0 || areas[list[k]] > areas[list[widest]])) widest = k
  }
  return size
}

const NO_ROPE = 0xffffffff

/**
 * The records ROPE_NODE, level by level. A rope leads from a node to the next one in
 * the direction's order once the subtree is done with: to the sibling that is taken second, else where the parent's
 * rope leads.
 */
export function ropeNodes(scene: RayScene, corners: Float64Array): Float32Array<ArrayBuffer> {
  const tree = refit(scene, corners)
  const order = [0]
  const number = new Uint32Array(tree.first.length)
  for (let n = 0; n < order.length; n++) {
    number[order[n]] = n
    if (tree.count[order[n]] === 0) order.push(tree.first[order[n]], tree.first[order[n]] + 1)
  }
  const { at, words: nodeWords } = ROPE_NODE
  const out = new Float32Array(nodeWords * order.length)
  const words = new Uint32Array(out.buffer)
  words.fill(NO_ROPE, at.ropes, at.ropes + 6)
  order.forEach((i, n) => {
    const node = nodeWords * n
    out.set(tree.boxes.subarray(6 * i, 6 * i + 3), node + at.low)
    out.set(tree.boxes.subarray(6 * i + 3, 6 * i + 6), node + at.high)
    words[node + at.count] = tree.count[i]
    if (tree.count[i] > 0) {
      words[node + at.first] = tree.first[i]
      return
    }
    const child = number[tree.first[i]]
    words[node + at.first] = child
    for (let face = 0; face < 6; face++) {
      const second = startsWithSecond(tree, tree.first[i], face) ? 0 : 1
      const rope = at.ropes + face
      words[nodeWords * (child + second) + rope] = words[node + rope]
      words[nodeWords * (child + 1 - second) + rope] = child + second
      words[node + at.secondFirst] |= (1 - second) << face
    }
  })
  return out
}

/** Whether of the children `child` and `child + 1` the second has its box's middle nearer, seen along the direction. */
function startsWithSecond({ boxes }: Tree, child: number, face: number): boolean {
  const axis = face >> 1
  const middle = (node: number): number => boxes[6 * node + axis] + boxes[6 * node + 3 + axis]
  return face & 1 ? middle(child + 1) > middle(child) : middle(child + 1) < middle(child)
}
