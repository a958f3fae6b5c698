/** Gives the focus back to an element; if it has gone, to an open dialog or the page's title. */
export function focusAgain(element: Element | null): void {
  const isUsable = element instanceof HTMLElement && element.isConnected && element !== document.body
  const target = isUsable ? element : document.querySelector<HTMLElement>('[role=dialog] [data-autofocus], main h1')
  target?.focus({ preventScroll: true })
}
