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
  /** Files that the commands write, by the picture in docs/figures. */
  pictures: Record<string, string>
}

const IMAGE = 'isar render samples/aircraft-a.stl --band 9.25e9:10.75e9 --pol vv --polar-format'
const VEHICLE = 'isar render samples/vehicle.stl --band 9.25e9:9.95e9 --theta 75 --phi 30 --pol hh'
const COATED =
  'isar render aircraft-a.obj --freq 10GHz --resolution 0.3 --rays-per-wavelength 4 --max-bounces 5 --fast 8 --polar-format --pol vv'
const PARTS =
  '--materials samples/materials.json --material conductor --material nose=absorber --material leading-edges=absorber --material canopy=canopy'
/** Figures of the validation that pages show, by the names of their cases; `isar validate` draws those of all. */
const SHOWN = [
  'ship-10ghz-phi0',
  'dihedral-3lam-theta70',
  'trough-3lam',
  'strip-3lam',
  'sphere-bands',
  'ogive-12lam',
]
/** Figures of the papers that their pages show, one of each; the papers' programs draw all. */
const PAPERS = ['000-3a', '001-10a', '002-4a', '003-5a', '004-7']

/** Pictures of a folder of docs/figures by their files, `from` a folder that has the same below it. */
const below = (folder: string, from: string, names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`${folder}/${name}.png`, `${from}/figures/${folder}/${name}.png`]))

/** The first group that has a picture draws it. */
export const FIGURES: FigureGroup[] = [
  {
    name: 'guide',
    commands: { document: 'docs/guide.md' },
    after: ['node dist/reproduction/pictures.js view drone-render view.png'],
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
    commands: ['isar site --out site', 'node dist/reproduction/pictures.js site site site.png'],
    pictures: { 'site.png': 'site.png' },
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
      'node dist/samples/generate.js --groups .',
      `${COATED} --out metal`,
      `${COATED} ${PARTS} --out parts`,
      ...['metal', 'parts'].map(
        (result) => `isar plot ${result} --kind image --top 10 --size 460x560 --out ${result}-plot`,
      ),
      'node dist/reproduction/pictures.js beside aircraft.png metal-plot/image-vv.png parts-plot/image-vv.png',
    ],
    pictures: {
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
    name: 'papers',
    commands: ['000', '001', '002', '003', '004'].map(
      (paper) => `node dist/reproduction/paper-${paper}.js --page --out pages`,
    ),
    pictures: below('papers', 'pages', PAPERS),
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
    commands: ['node dist/reproduction/pictures.js doppler drone.png'],
    pictures: { 'doppler/drone.png': 'drone.png' },
  },
  {
    name: 'view-doppler',
    commands: [
      'isar doppler samples/drone-motion.json --pol vv',
      'node dist/reproduction/pictures.js view drone-motion-doppler view-doppler.png 0.3,0.33',
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
    name: 'full-wave',
    commands: ['node dist/reproduction/pictures.js full-wave full-wave.png'],
    pictures: { 'full-wave.png': 'full-wave.png' },
  },
  {
    name: 'schedules',
    gpu: true,
    commands: ['isar compare samples/aircraft-a.stl --band 9.25e9:10.75e9 --theta 80 --pol vv --out compare'],
    pictures: { 'timeline-overlapped.png': 'compare/timeline-overlapped.png' },
  },
  {
    name: 'validation',
    commands: [`isar validate ${SHOWN.join(' ')} --figures png --out validation`],
    pictures: below('validation', 'validation', SHOWN),
  },
]

/** The group that draws a picture (a path below docs/figures), and its source file; null if there is none. */
export function groupOf(picture: string): { group: FigureGroup; file: string } | null {
  const group = FIGURES.find(({ pictures }) => Object.hasOwn(pictures, picture))
  return group ? { group, file: group.pictures[picture] } : null
}

/** docs/figures/README.md. */
export function figuresReadme(): string {
  const rows = FIGURES.map(({ name, commands, after = [], gpu, pictures }) => {
    const document = Array.isArray(commands)
      ? []
      : [`the commands of [${commands.document}](../../${commands.document})`]
    const own = [...(Array.isArray(commands) ? commands : []), ...after].map((c) => `\`${c}\``)
    const lines = [...document, ...own].join('<br>')
    const shown = Object.keys(pictures).map((p) => `\`${p}\``)
    return `| \`${name}\` | ${shown.join('<br>')} | ${lines} | ${gpu ? 'a GPU' : ''} |`
  })
  return `# Figures

Every picture of the documents with its commands. \`npm run docs -- figures\` draws all of them again; after a build \`node dist/reproduction/figures.js\`
draws those that need no GPU (half an hour on two cores), \`node dist/reproduction/figures.js NAME…\` some groups. This table is written by \`npm run docs\`; test/docs/figures.test.ts holds it and the documents to one another.

| group | pictures | drawn by | needs |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}
