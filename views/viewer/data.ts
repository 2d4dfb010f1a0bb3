import type { PathsData } from '../figures/index.js'
import type {
  ArrayRef,
  CurrentsData,
  DatasetData,
  MovingData,
  Opened,
  RaysData,
  SceneData,
  Sent,
  ServedResult,
  TargetData,
} from '../server/manifest.js'
import type { LiveSource } from './solver/messages.js'

export type { CurrentsData, DatasetData, MovingData, RaysData, SceneData, TargetData }

const TYPES = { f8: Float64Array, f4: Float32Array, u4: Uint32Array, u1: Uint8Array }

/** @throws Error when the server refuses it */
async function get(path: string): Promise<Response> {
  const response = await fetch(`result/${path}`)
  if (!response.ok) throw new Error(`${path}: ${(await response.text()).trim()}`)
  return response
}

const isRef = (of: object): of is ArrayRef => 'path' in of && 'type' in of && (of.type as string) in TYPES

const load = async ({ path, type }: ArrayRef) => new TYPES[type](await (await get(path)).arrayBuffer())

/** A description with its arrays, which are fetched. */
async function received(of: unknown): Promise<unknown> {
  if (of === null || typeof of !== 'object') return of
  if (isRef(of)) return load(of)
  if (Array.isArray(of)) return Promise.all(of.map(received))
  const entries = Object.entries(of).map(async ([key, value]) => [key, await received(value)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

const receivedFrom = async <T>(path: string): Promise<T> =>
  (await received((await (await get(path)).json()) as Sent<T>)) as T

/** What is opened, as far as it is not loaded on request. */
export async function loadOpened(): Promise<Opened> {
  const opened = await receivedFrom<Opened>('manifest.json')
  for (const result of opened.results) result.history = result.histories?.[0] ?? result.history
  return opened
}

export interface ResultData extends ServedResult {
  /** Where the page traces rays itself: those at a path of the `aspects`. */
  traceRays?: (path: string) => Promise<RaysData>
  /** Where the page has computed the result itself: its solver, with the target open, and the frequency that live RCS begins with [Hz]. */
  solver?: LiveSource & { freqHz: number }
}

/** Paths of one receiver, the strongest first. */
export const loadPaths = (at: string, receiver: number): Promise<PathsData> =>
  receivedFrom(`${at}${receiver}.json`)

/** The mesh for currents; the server makes it on the first request. */
export const loadCurrents = (path: string): Promise<CurrentsData> => receivedFrom(path)

/** The rays of one aspect; the server traces them on the first request. */
export const loadRays = (path: string): Promise<RaysData> => receivedFrom(path)

/** An image of a dataset as a result. @param i  index in the list */
export const loadChip = ({ at }: DatasetData, i: number): Promise<ResultData> =>
  receivedFrom(`${at}${i}.json`)

/** Its grey levels, the largest range first. */
export const loadGrey = async ({ at }: DatasetData, i: number): Promise<Uint8Array> =>
  new Uint8Array(await (await get(`${at}${i}/grey`)).arrayBuffer())
