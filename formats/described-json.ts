import { z } from 'zod'
import { didYouMean, InputError } from '../scene/index.js'

/** The value of a JSON text. @param file  names it in messages @throws InputError for what is no JSON */
export function parseJson(text: string, file: string): unknown {
  // The byte order mark of UTF-16, read as UTF-8: what PowerShell redirects to a file is in it.
  if (text.startsWith('\uFFFD\uFFFD')) throw new InputError(`${file} is in UTF-16; save it as UTF-8`)
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new InputError(`${file} is not JSON: ${(error as Error).message}; fix it there`, { cause: error })
  }
}

interface Issue {
  code?: string
  path: PropertyKey[]
  message: string
  keys?: string[]
  errors?: Issue[][]
  /** Of a key. */
  issues?: Issue[]
}

/**
 * What is wrong with a value that a schema refuses, and where: the first issue, or a key that is all but spelt like one there is; of a union
 * the member that fits best, with the fewest unknown keys, and of those the one that goes wrong deepest.
 */
export function describeIssues(schema: z.ZodType, issues: readonly Issue[], at: PropertyKey[] = []): string {
  const hint = ({ keys, path }: Issue): string => {
    const known = keys ? keysAt(schema, [...at, ...path]) : []
    // A key of another member of a union is spelt right.
    return keys && !known.includes(keys[0]) ? didYouMean(keys[0], known) : ''
  }
  const issue = issues.find(hint) ?? issues[0]
  const path = [...at, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors && issue.errors.length > 0) {
    const depth = (list: Issue[]): number =>
      Math.max(...list.map((i) => i.path.length + (i.code === 'unrecognized_keys' ? -1 : 0)))
    const strays = (list: Issue[]): number => list.reduce((n, { keys }) => n + (keys?.length ?? 0), 0)
    const fit = (a: Issue[], b: Issue[]): number =>
      strays(a) - strays(b) || depth(b) - depth(a) || a.length - b.length
    const best = [...issue.errors].sort(fit)[0]
    if (depth(best) > 0 || strays(best) > 0) return describeIssues(schema, best, path)
  }
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  const message = issue.issues?.[0].message ?? issue.message
  return `${path.map(String).join('.') || 'the whole'}: ${message}${hint(issue)}${more}`
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  additionalProperties?: SchemaNode | boolean
  anyOf?: SchemaNode[]
}

/** The schema of an item or of a key's value. */
function childOf(
  { items, properties, additionalProperties }: SchemaNode,
  key: PropertyKey,
): SchemaNode | undefined {
  if (typeof key === 'number') return items
  return (
    properties?.[String(key)] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  )
}

/** The keys that there are at a place, of all members of unions. */
function keysAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  const members = (node: SchemaNode): SchemaNode[] => [node, ...(node.anyOf ?? []).flatMap(members)]
  let nodes = members(z.toJSONSchema(schema, { io: 'input' }) as SchemaNode)
  for (const key of path) nodes = nodes.flatMap((node) => childOf(node, key) ?? []).flatMap(members)
  return [...new Set(nodes.flatMap((node) => Object.keys(node.properties ?? {})))]
}
