/** Pictures of the documents, and what draws them. */
export interface FigureGroup {
  /** For the command line: `npm run figures -- NAME`. */
  name: string
  /** Lines of the shell, run in an empty folder in which samples/, test/ and dist/ stand; or the document whose lines they are. */
  commands: string[] | { document: string }
  /** Further lines, after those of a document. */
  after?: string[]
  /** Takes hours without a GPU, or measures one. */
  gpu?: true
  /** Picture in docs/figures by what the commands leave of it. One `*` on either side stands for any name. */
  pictures: Record<string, string>
  /** Timelines (as isar compare writes them) that were measured once, in docs/figures: drawn again without a measurement. */
  recorded?: string
}

const IMAGE = 'isar render samples/aircraft-a.stl --band 9.25e9:10.75e9 --pol vv --polar-format'
const LONG = ['aircraft-a-100ghz', 'deckhouse-3ghz', 'ship-30ghz', 'ship-44m-30ghz']
const VALIDATION = 'validation/figures/validation'

/** The first group that has a picture draws it. */
export const FIGURES: FigureGroup[] = [
  {
    name: 'guide',
    commands: { document: 'docs/guide.md' },
    after: ['node dist/bench/view-picture.js drone-render view.png'],
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
    name: 'aircraft',
    commands: ['isar render samples/aircraft.stl --band 9.25e9:10.75e9'],
    pictures: { 'aircraft-vv.png': 'aircraft-render/image-vv.png' },
  },
  {
    name: 'gpueco',
    commands: ['node dist/bench/gpueco-accuracy.js --size 1024 --plot .'],
    pictures: { 'gpueco-*.png': 'gpueco-*.png' },
  },
  {
    name: 'propagation',
    commands: ['node dist/bench/propagate-figures.js propagation'],
    pictures: { 'propagation/*.png': 'propagation/*.png' },
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
    commands: [
      `isar validate ${LONG.join(' ')} isar-aircraft-a isar-aircraft-b --figures png --out validation`,
    ],
    pictures: {
      ...Object.fromEntries(LONG.map((c) => [`validation/${c}.png`, `${VALIDATION}/${c}.png`])),
      'validation/isar-*.png': `${VALIDATION}/isar-*.png`,
    },
  },
  {
    name: 'validation',
    commands: ['isar validate --figures png --out validation'],
    pictures: { 'validation/*.png': `${VALIDATION}/*.png` },
  },
]

/** A pattern with one `*` at most, as an expression whose group is what the `*` stands for. */
const expression = (pattern: string): RegExp =>
  new RegExp(`^${pattern.split('*').map(escaped).join('([^/]*)')}$`)

const escaped = (text: string): string => text.replace(/[.+]/g, '\\$&')

/** The group that draws a picture (a path below docs/figures), and the file that it is a copy of; null where none does. */
export function groupOf(picture: string): { group: FigureGroup; file: string } | null {
  for (const group of FIGURES)
    for (const [pattern, file] of Object.entries(group.pictures)) {
      const match = expression(pattern).exec(picture)
      if (match) return { group, file: file.replace('*', match[1] ?? '') }
    }
  return null
}

/** Pictures that a group's commands left, by their place below docs/figures. @param files  what there is in the folder */
export function picturesOf(group: FigureGroup, files: string[]): { picture: string; file: string }[] {
  return Object.entries(group.pictures).flatMap(([picture, pattern]) =>
    files.flatMap((file) => {
      const match = expression(pattern).exec(file)
      const place = match && picture.replace('*', match[1] ?? '')
      return place && groupOf(place)!.group === group ? [{ picture: place, file }] : []
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

Every picture of the documents, and what draws it. \`npm run figures\` draws those that need no GPU anew (half an hour on two
cores), \`npm run figures -- --gpu\` the others too, \`npm run figures -- NAME…\` some groups. A picture belongs to the first group that
names it. This table is written by the command; test/docs/figures.test.ts holds it and the documents to one another.

| group | pictures | drawn by | needs |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}
