import { one } from './dom.js'
import { download } from './export.js'
import type { ViewName } from './scene-orbit.js'
import type { SceneView } from './scene-view.js'
import type { Colouring } from './target-mesh.js'

/** The controls above the view in three dimensions. */
export class TargetBar {
  private readonly ended = new AbortController()

  /** @param scene  null where there is nothing to show @param of  content of the view, which selects its buttons */
  constructor(
    name: string,
    scene: SceneView | null,
    of: 'target' | 'scene' | 'motion',
    onColour: () => void,
  ) {
    const { signal } = this.ended
    const views = document.querySelectorAll<HTMLButtonElement>('[data-view]')
    for (const control of one('target-panel').querySelectorAll<HTMLButtonElement>('.bar button, .bar select, .bar input'))
      control.disabled = !scene // prettier-ignore
    for (const button of views) {
      button.hidden = button.dataset.of !== undefined && !button.dataset.of.split(' ').includes(of)
      button.addEventListener('click', () => scene?.orbit.look(button.dataset.view as ViewName), { signal })
    }
    one('colour-choice').hidden = of !== 'target'
    one('currents-choice').hidden = true
    for (const id of ['edges-choice', 'rays-choice']) one(id).hidden = of === 'motion'
    one('edges-name').textContent = of === 'scene' ? 'Outlines' : 'Edges'
    one('rays-name').textContent = of === 'scene' ? 'Paths' : 'Rays'
    one('target-heading').textContent = of === 'scene' ? 'Scene' : 'Target'
    const [edges, rays] = [one<HTMLInputElement>('show-edges'), one<HTMLInputElement>('show-rays')]
    edges.checked = of === 'scene'
    scene?.showEdges(edges.checked)
    scene?.showRays(rays.checked)
    edges.addEventListener('input', () => scene?.showEdges(edges.checked), { signal })
    rays.addEventListener('input', () => scene?.showRays(rays.checked), { signal })
    one('target-colour').addEventListener('input', onColour, { signal })
    const save = async (): Promise<void> => download(`${name}-${of}.png`, await scene!.png())
    one('target-png').addEventListener('click', () => void save(), { signal })
  }

  /** Calls for changes of a control until the bar is closed. */
  listen(control: HTMLElement, onInput: () => void): void {
    control.addEventListener('input', onInput, { signal: this.ended.signal })
  }

  hideViews(views: ViewName[]): void {
    for (const view of views) document.querySelector<HTMLButtonElement>(`[data-view=${view}]`)!.hidden = true
  }

  /** The selected colouring of the facets, if available. */
  colouring(has: Record<Colouring, boolean>): Colouring {
    const select = one<HTMLSelectElement>('target-colour')
    for (const option of select.options) option.disabled = !has[option.value as Colouring]
    return select.selectedOptions[0]?.disabled ? 'plain' : (select.value as Colouring)
  }

  close(): void {
    this.ended.abort()
  }
}
