import { instance } from '@viz-js/viz'

/** Colours of a theme: texts, boxes, lines, and labels beside lines. */
const themes = {
  light: { INK: '#1f2328', PAPER: '#f6f8fa', LINE: '#57606a', SOFT: '#57606a' },
  dark: { INK: '#e6edf3', PAPER: '#161b22', LINE: '#8b949e', SOFT: '#8b949e' },
}
type Colour = keyof (typeof themes)['light']

/** Draws the picture of the system in every theme. @param source in DOT, with names of colours */
export async function overviewPictures(source: string): Promise<{ theme: string; svg: string }[]> {
  const graphviz = await instance()
  return Object.entries(themes).map(([theme, colours]) => {
    const dot = source.replace(/\b(?:INK|PAPER|LINE|SOFT)\b/g, (name) => colours[name as Colour])
    return { theme, svg: graphviz.renderString(dot, { format: 'svg' }) }
  })
}
