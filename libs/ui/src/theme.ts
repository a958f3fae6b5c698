import { createTheme, type CSSVariablesResolver } from '@mantine/core'

/** Mantine's theme: shades that keep a contrast of 4.5:1 with white text. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  components: {
    // An asterisk would become part of the field's name; global.css marks required fields without a text.
    InputWrapper: { defaultProps: { withAsterisk: false } },
  },
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.6rem' }, h2: { fontSize: '1.15rem' } } },
})

/** Colours of texts that Mantine makes too pale for small letters. */
export const resolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636b',
    '--mantine-color-anchor': 'var(--mantine-color-indigo-8)',
    '--mantine-color-placeholder': '#6b727a',
    '--mantine-color-error': '#b42318',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b0b8',
    '--mantine-color-anchor': 'var(--mantine-color-indigo-3)',
    '--mantine-color-placeholder': '#969da5',
    '--mantine-color-error': '#ff8f85',
  },
})
