/** Part of a word, or words. */
export type Word = string | number | readonly string[]

/** The words of a command line, cut at blanks; what is put in is part of its word, an array words of their own. */
export function words(texts: TemplateStringsArray, ...values: Word[]): string[] {
  const out = ['']
  texts.forEach((text, i) => {
    const [first, ...others] = text.split(/\s+/)
    out[out.length - 1] += first
    out.push(...others)
    const value = i < values.length ? values[i] : ''
    if (typeof value === 'object') out.push(...value, '')
    else out[out.length - 1] += value
  })
  return out.filter((word) => word !== '')
}
