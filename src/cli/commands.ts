import type { Command } from 'commander'

/** A command as `isar --help` lists it; the rest is loaded with it when it is called. */
export interface CommandEntry {
  summary: string
  /** What gives the command its arguments, options and action. */
  load: () => Promise<(command: Command) => void>
}

export const COMMANDS: Record<string, CommandEntry> = {
  render: {
    summary: 'ISAR image of one target: sweep, scattered field, image, picture',
    load: async () => (await import('./render.js')).renderCommand,
  },
  rcs: {
    summary: 'radar cross-section and scattering amplitudes as a table',
    load: async () => (await import('./rcs.js')).rcsCommand,
  },
  compare: {
    summary: 'how far results lie apart, in numbers and figures; or times of one mesh under every schedule',
    load: async () => (await import('./compare.js')).compareCommand,
  },
  dataset: {
    summary: 'many labelled images for target recognition, resumable, in common formats',
    load: async () => (await import('./dataset.js')).datasetCommand,
  },
  doppler: {
    summary: 'moving targets: pulses over time, range–Doppler maps, micro-Doppler spectrograms',
    load: async () => (await import('./doppler.js')).dopplerCommand,
  },
  centres: {
    summary:
      'scattering centres of a rendered image by CLEAN: a table and a picture; models of them over a sector',
    load: async () => (await import('./centres.js')).centresCommand,
  },
  image: {
    summary: 'images and range profiles of a phase history, measured or simulated; calibration, comparison',
    load: async () => (await import('./image.js')).imageCommand,
  },
  propagate: {
    summary: 'radio propagation by rays: received field, channel and coverage at points of a scene',
    load: async () => (await import('./propagate.js')).propagateCommand,
  },
  validate: {
    summary: 'recomputes validation cases, draws them against their references, prints the error table',
    load: async () => (await import('./validate.js')).validateCommand,
  },
  materials: {
    summary: 'groups of a mesh and what they are made of; built-in materials and their reflection',
    load: async () => (await import('./materials.js')).materialsCommand,
  },
  plot: {
    summary: 'figures of a result: cuts, polar, range profiles, waterfall, aspect maps (SVG and PNG)',
    load: async () => (await import('./plot.js')).plotCommand,
  },
  view: {
    summary: 'opens a result (image, rays, target) as a page in the browser',
    load: async () => (await import('./view.js')).viewCommand,
  },
  site: {
    summary: 'writes a page that computes RCS and images in the browser of who opens it',
    load: async () => (await import('./site.js')).siteCommand,
  },
  devices: {
    summary: 'GPUs and CPU backends found, their limits, and which one would be used',
    load: async () => (await import('./devices.js')).devicesCommand,
  },
  doctor: {
    summary: 'checks this machine for what runs need, and suggests fixes',
    load: async () => (await import('./doctor.js')).doctorCommand,
  },
  completion: {
    summary: 'prints completion for a shell: bash, zsh or fish',
    load: async () => (await import('./completion.js')).completionCommand,
  },
  worker: {
    summary: 'serves cluster runs (--cluster) with one GPU, or with this machine’s CPU',
    load: async () => (await import('./worker.js')).workerCommand,
  },
  workers: {
    summary:
      'starts one worker per GPU of this host, each isolated from the other GPUs, and keeps them running',
    load: async () => (await import('./workers.js')).workersCommand,
  },
  cluster: {
    summary: 'shows cluster status and plots its timing reports',
    load: async () => (await import('./cluster.js')).clusterCommand,
  },
}
