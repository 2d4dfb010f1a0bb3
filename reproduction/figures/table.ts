/** Pictures of the documents and their commands. */
export interface FigureGroup {
  /** For the command line: `node dist/reproduction/figures.js NAME`. */
  name: string
  /** Shell commands, run in a folder that contains only samples/, test/ and dist/; or the document that contains them. */
  commands: string[] | { document: string }
  /** Further lines, after those of a document. */
  after?: string[]
  /** Takes hours without a GPU, or measures a GPU. */
  gpu?: true
  /** Picture in docs/figures by the file that the commands write. One `*` on either side matches any name. */
  pictures: Record<string, string>
  /** Timelines (as isar compare writes them) recorded in docs/figures: redrawn without a new measurement. */
  recorded?: string
}

const IMAGE = 'isar render samples/aircraft-a.stl --band 9.25e9:10.75e9 --pol vv --polar-format'
const PROFILE = 'isar render samples/aircraft.stl --band 9.25e9:10.75e9 --pol vv'
const VEHICLE = 'isar render samples/vehicle.stl --band 9.25e9:9.95e9 --theta 75 --phi 30 --pol hh'
const COATED =
  'isar render aircraft-a.obj --freq 10GHz --resolution 0.3 --rays-per-wavelength 4 --max-bounces 5 --fast 8 --polar-format --pol vv'
const PARTS =
  '--materials samples/materials.json --material conductor --material nose=absorber --material leading-edges=absorber --material canopy=canopy'
/** Figures of the validation that pages show, by the names of their cases; `isar validate` draws those of all. */
const SHOWN = [
  'ship-10ghz-phi0',
  'ship-5ghz-theta85',
  'plate-3lam-phi30',
  'trough-3lam',
  'dihedral-3lam-theta70',
  'trihedral-triangular-4lam-theta45',
  'strip-3lam',
  'sphere-bistatic-1ghz',
  'sphere-bands',
  'ogive-12lam',
  'cone-sphere-10lam',
  'sheet-2-5x4lam-theta80',
  'density',
  'sphere-shell-radome',
  'edges-coat2-lossy',
  'full-wave-ship-5ghz-theta85',
]
const SHOWN_LONG = ['aircraft-a-100ghz']
const SHOWN_IMAGES = ['isar-aircraft-a', 'isar-aircraft-b']
const validation = (names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [`validation/${name}.png`, `validation/figures/validation/${name}.png`]),
  )

/** The first group that has a picture draws it. */
export const FIGURES: FigureGroup[] = [
  {
    name: 'guide',
    commands: { document: 'docs/guide.md' },
    after: ['node dist/reproduction/view-picture.js drone-render view.png'],
    pictures: {
      'guide/cut.png': 'drone-rcs/plot.png',
      'guide/polar.png': 'drone-polar/polar-vv.png',
      'guide/bars.png': 'bars.plot.png',
      'guide/image.png': 'drone-render/image-vv.png',
      'guide/edges.png': 'drone-render/image-vv-edge.png',
      'guide/profile.png': 'drone-plot/profile-vv.png',
      'guide/waterfall.png': 'drone-plot/waterfall-vv.png',
      'guide/view.png': 'view.png',
      'guide/centres.png': 'drone-render/centres-vv.png',
      'guide/contact-sheet.png': 'drone-dataset/contact-sheet.png',
    },
  },
  {
    name: 'site',
    commands: ['isar site --out site', 'node dist/reproduction/site-picture.js site site-live.png site.png'],
    pictures: { 'site-live.png': 'site-live.png', 'site.png': 'site.png' },
  },
  {
    name: 'aircraft',
    commands: ['isar render samples/aircraft.stl --band 9.25e9:10.75e9'],
    pictures: { 'aircraft-vv.png': 'aircraft-render/image-vv.png' },
  },
  {
    name: 'imaging',
    commands: ['node dist/samples/generate.js --gotcha pass', 'isar image pass --extent 32x24'],
    pictures: { 'imaging.png': 'pass-image/image-hh.png' },
  },
  {
    name: 'materials',
    commands: [
      'isar materials plot glass:4mm --freq 10GHz --band 1GHz:20GHz --theta 0,60',
      `${PROFILE} --out bare`,
      `${PROFILE} --materials samples/materials.json --material absorber --out coated`,
      'isar plot bare coated --kind profile --out profile',
      'node dist/samples/generate.js --groups .',
      `${COATED} --out metal`,
      `${COATED} ${PARTS} --out parts`,
      ...['metal', 'parts'].map(
        (result) => `isar plot ${result} --kind image --top 10 --size 460x560 --out ${result}-plot`,
      ),
      'node dist/reproduction/beside.js aircraft.png metal-plot/image-vv.png parts-plot/image-vv.png',
    ],
    pictures: {
      'materials/glass.png': 'material-glass-4mm.png',
      'materials/profile.png': 'profile/profile-vv.png',
      'materials/aircraft.png': 'aircraft.png',
    },
  },
  {
    name: 'ground',
    commands: [
      `${VEHICLE} --out free`,
      `${VEHICLE} --ground medium-dry-ground --ground-roughness 0.003 --out ground`,
    ],
    pictures: { 'ground-free.png': 'free/image-hh.png', 'ground.png': 'ground/image-hh.png' },
  },
  {
    name: 'chip',
    commands: [
      'node dist/samples/generate.js --vehicles vehicles',
      'node dist/reproduction/chip-pictures.js samples/atr/vehicles.json tank 40 free.png ground.png',
    ],
    pictures: { 'chip-free.png': 'free.png', 'chip-ground.png': 'ground.png' },
  },
  {
    name: 'papers',
    commands: ['000', '001', '002', '003', '004'].map(
      (paper) => `node dist/reproduction/paper-${paper}.js --page --out pages`,
    ),
    pictures: { 'papers/*.png': 'pages/figures/papers/*.png' },
  },
  {
    name: 'propagation',
    commands: ['isar propagate samples/madrid-grid.json --diffraction utd --out streets'],
    pictures: { 'propagation/madrid-map.png': 'streets/plot-map.png' },
  },
  {
    name: 'micro-doppler',
    commands: ['isar dataset samples/atr/drone-or-bird.json'],
    pictures: { 'micro-doppler.png': 'drone-or-bird-dataset/contact-sheet.png' },
  },
  {
    name: 'doppler',
    commands: ['node dist/reproduction/doppler-figures.js doppler'],
    pictures: { 'doppler/*.png': 'doppler/*.png' },
  },
  {
    name: 'view-doppler',
    commands: [
      'isar doppler samples/drone-motion.json --pol vv',
      'node dist/reproduction/view-picture.js drone-motion-doppler view-doppler.png 0.3,0.33',
    ],
    pictures: { 'view-doppler.png': 'view-doppler.png' },
  },
  {
    name: 'edges',
    gpu: true,
    commands: [`${IMAGE} --diffraction none --out rays`, `${IMAGE} --out edges`],
    pictures: {
      'aircraft-a-sbr.png': 'rays/image-vv.png',
      'aircraft-a-sbr-tw-ildc.png': 'edges/image-vv.png',
    },
  },
  {
    name: 'ray-density',
    commands: ['node dist/reproduction/ray-density-figure.js ray-density.png'],
    pictures: { 'ray-density.png': 'ray-density.png' },
  },
  {
    name: 'full-wave',
    commands: ['node dist/reproduction/full-wave-figure.js full-wave.png'],
    pictures: { 'full-wave.png': 'full-wave.png' },
  },
  {
    name: 'schedules',
    gpu: true,
    commands: ['isar compare samples/aircraft-a.stl --band 9.25e9:10.75e9 --theta 80 --pol vv --out compare'],
    recorded: 'timelines.json',
    pictures: {
      'timeline-dynamic.png': 'compare/timeline-dynamic.png',
      'timeline-overlapped.png': 'compare/timeline-overlapped.png',
    },
  },
  {
    name: 'validation-long',
    gpu: true,
    commands: [`isar validate ${[...SHOWN_LONG, ...SHOWN_IMAGES].join(' ')} --figures png --out validation`],
    pictures: validation([...SHOWN_LONG, ...SHOWN_IMAGES.map((name) => `${name}-*`)]),
  },
  {
    name: 'validation',
    commands: [`isar validate ${SHOWN.join(' ')} --figures png --out validation`],
    pictures: validation(SHOWN),
  },
]

/** A pattern with at most one `*`, as a regular expression whose group matches it. */
const expression = (pattern: string): RegExp =>
  new RegExp(`^${pattern.split('*').map(escaped).join('([^/]*)')}$`)

const escaped = (text: string): string => text.replace(/[.+]/g, '\\$&')

/** The group that draws a picture (a path below docs/figures), and its source file; null if there is none. */
export function groupOf(picture: string): { group: FigureGroup; file: string } | null {
  for (const group of FIGURES)
    for (const [pattern, file] of Object.entries(group.pictures)) {
      const match = expression(pattern).exec(picture)
      if (match) return { group, file: file.replace('*', match[1] ?? '') }
    }
  return null
}

/** Pictures written by a group's commands, by their path below docs/figures. @param files  files in the folder */
export function picturesOf(group: FigureGroup, files: string[]): { picture: string; file: string }[] {
  return Object.entries(group.pictures).flatMap(([picture, pattern]) =>
    files.flatMap((file) => {
      const match = expression(pattern).exec(file)
      const path = match && picture.replace('*', match[1] ?? '')
      return path && groupOf(path)!.group === group ? [{ picture: path, file }] : []
    }),
  )
}

/** docs/figures/README.md. */
export function figuresReadme(): string {
  const rows = FIGURES.map(({ name, commands, after = [], gpu, pictures, recorded }) => {
    const document = Array.isArray(commands)
      ? []
      : [`the commands of [${commands.document}](../../${commands.document})`]
    const own = [...(Array.isArray(commands) ? commands : []), ...after].map((c) => `\`${c}\``)
    const lines = [...document, ...own].join('<br>')
    const needs = gpu ? (recorded ? `a GPU, or \`${recorded}\`` : 'a GPU') : ''
    const shown = Object.keys(pictures).map((p) => `\`${p}\``)
    return `| \`${name}\` | ${shown.join('<br>')} | ${lines} | ${needs} |`
  })
  return `# Figures

Every picture of the documents with its commands. \`npm run docs -- figures\` draws all of them again; after a build \`node dist/reproduction/figures.js\`
draws those that need no GPU (half an hour on two cores), \`node dist/reproduction/figures.js NAME…\` some groups. A picture belongs to the first group that
names it. This table is written by \`npm run docs\`; test/docs/figures.test.ts holds it and the documents to one another.

| group | pictures | drawn by | needs |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}
