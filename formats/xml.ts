import { InputError } from '../scene/index.js'

/** A tag of an XML text. */
interface Tag {
  /** Without its namespace's prefix. */
  name: string
  /** Offset in the text. */
  at: number
  /** Offset of its last character. */
  end: number
  isEnd: boolean
  /** Without content, `<a/>`. */
  isEmpty: boolean
  attributes: () => Map<string, string>
}

/**
 * The tags of an XML text; what is between them is skipped.
 * @param what  of messages, e.g. "the 3MF file's XML"
 * @throws InputError for a text that is cut off, and DOCTYPE or CDATA, which none of our formats needs
 */
export function* tags(text: string, what: string): Generator<Tag> {
  for (let at = text.indexOf('<'); at >= 0;) {
    const [open, close] = text.startsWith('<!--', at)
      ? ['<!--', '-->']
      : text.startsWith('<?', at)
        ? ['<?', '?>']
        : ['<', '>']
    if (open === '<' && text[at + 1] === '!')
      throw new InputError(`${what} has a DOCTYPE or CDATA, which is not allowed there`)
    const end = open === '<' ? endOfTag(text, at) : text.indexOf(close, at + open.length)
    if (end < 0)
      throw new InputError(`line ${lineOf(text, at)} of ${what}: a tag does not end: it is cut off`)
    if (open === '<') {
      const inside = text.slice(at + 1, end)
      const [, slash, name] = /^(\/?)(?:[\w.-]+:)?([\w.-]+)/.exec(inside) ?? []
      if (name === undefined)
        throw new InputError(`line ${lineOf(text, at)} of ${what}: a tag without a name`)
      yield {
        name,
        at,
        end,
        isEnd: slash === '/',
        isEmpty: inside.endsWith('/'),
        attributes: () =>
          new Map(
            // Only from the begin of a name: long names without values take time in proportion.
            Array.from(
              inside.matchAll(/(?<![\w.-])([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g),
              ([, key, a, b]) => [key, unescaped(a ?? b)],
            ),
          ),
      }
    }
    at = text.indexOf('<', end)
  }
}

/** Offset of the ">" outside quotes; -1 where there is none. */
function endOfTag(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const c = text[i]
    if (c === '>') return i
    if (c === '"' || c === "'") {
      i = text.indexOf(c, i + 1)
      if (i < 0) return -1
    }
  }
  return -1
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
/** Control characters and halves of pairs become blanks. */
const unescaped = (text: string): string =>
  text.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d+|x[\da-fA-F]+));/g, (all, name?: string, code = '') => {
    if (name !== undefined) return ENTITIES[name]
    const point = Number(code.startsWith('x') ? `0${code}` : code)
    return point <= 0x10ffff ? String.fromCodePoint(point).replace(/[\p{Cc}\p{Cs}]/u, ' ') : all
  })

export function lineOf(text: string, at: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++
  return line
}

/** Most elements inside each other, and most elements. */
const DEEPEST = 64
const MOST_ELEMENTS = 2 ** 20

/** An element of an XML text. Paths are names without prefixes, with slashes between them. */
export class XmlElement {
  readonly children: XmlElement[] = []
  text = ''

  constructor(
    readonly name: string,
    readonly attributes: ReadonlyMap<string, string>,
    private readonly what: string,
  ) {}

  /** Children of a name. */
  all(name: string): XmlElement[] {
    return this.children.filter((child) => child.name === name)
  }

  find(path: string): XmlElement | undefined {
    const [name, ...rest] = path.split('/')
    const child = this.children.find((c) => c.name === name)
    return rest.length === 0 ? child : child?.find(rest.join('/'))
  }

  /** @throws InputError where there is none */
  get(path: string): XmlElement {
    const found = this.find(path)
    if (!found) throw new InputError(`${this.what} has no <${this.name}/${path}>`)
    return found
  }

  textOf(path: string): string {
    return this.get(path).text
  }

  /** A finite number. @throws InputError */
  numberOf(path: string): number {
    const text = this.textOf(path)
    const value = text === '' ? NaN : Number(text)
    if (Number.isFinite(value)) return value
    throw new InputError(`${this.what}: <${this.name}/${path}> "${text.slice(0, 40)}" is not a finite number`)
  }

  /** A whole number, not negative. @throws InputError */
  countOf(path: string): number {
    const value = this.numberOf(path)
    if (Number.isSafeInteger(value) && value >= 0) return value
    throw new InputError(`${this.what}: <${this.name}/${path}> ${value} is not a whole number of at least 0`)
  }

  /** X, Y, Z of an element. */
  vectorOf(path: string): [number, number, number] {
    return ['X', 'Y', 'Z'].map((axis) => this.numberOf(`${path}/${axis}`)) as [number, number, number]
  }
}

/** The root element of an XML text. @throws InputError for what is not one whole element */
export function parseXml(text: string, what: string): XmlElement {
  const outside = new XmlElement('', new Map(), what)
  const open = [outside]
  let [after, count] = [0, 0]
  for (const tag of tags(text, what)) {
    const parent = open[open.length - 1]
    // Text between comments and children counts where there are no children.
    parent.text += text.slice(after, tag.at).replace(/<!--[^]*?-->/g, '')
    after = tag.end + 1
    if (tag.isEnd) {
      if (open.length === 1 || parent.name !== tag.name)
        throw new InputError(`line ${lineOf(text, tag.at)} of ${what}: </${tag.name}> ends no element`)
      parent.text = unescaped(parent.text.trim())
      open.pop()
      continue
    }
    if (open.length > DEEPEST || ++count > MOST_ELEMENTS)
      throw new InputError(`${what} has too many elements, or too deep ones`)
    const element = new XmlElement(tag.name, tag.attributes(), what)
    parent.children.push(element)
    if (!tag.isEmpty) open.push(element)
  }
  if (open.length > 1)
    throw new InputError(`${what}: <${open[open.length - 1].name}> does not end: it is cut off`)
  if (outside.children.length !== 1)
    throw new InputError(`${what} has ${outside.children.length} root elements`)
  return outside.children[0]
}

type XmlContent = string | number | readonly (string | false | undefined)[]

const ESCAPES: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }
/** A string as text of XML; control characters become blanks. */
const escaped = (text: string): string => text.replace(/\p{Cc}/gu, ' ').replace(/[<>&"]/g, (c) => ESCAPES[c])

/** An element with a text, a number, or elements inside (of which absent ones are left out). */
export function xml(
  name: string,
  content: XmlContent,
  attributes: Record<string, string | number> = {},
): string {
  const head = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
  const inside = Array.isArray(content) ? content.filter((c) => c).join('') : escaped(String(content))
  return `<${name}${head.join('')}>${inside}</${name}>`
}

/** An element of X, Y, Z. */
export const xmlVector = (name: string, [x, y, z]: readonly number[]): string =>
  xml(name, [xml('X', x), xml('Y', y), xml('Z', z)])
