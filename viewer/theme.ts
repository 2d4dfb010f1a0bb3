const KEY = 'isar-theme'

/** Dark or light as selected by the visitor, else as the system's setting; the button changes it. */
export function startTheme(button: HTMLButtonElement, onChange: () => void): void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const apply = (): void => {
    const dark = (localStorage.getItem(KEY) ?? (system.matches ? 'dark' : 'light')) === 'dark'
    document.documentElement.dataset.theme = dark ? 'dark' : 'light'
    button.textContent = dark ? 'Light' : 'Dark'
    button.title = `Switch to ${dark ? 'light' : 'dark'} colours`
    onChange()
  }
  button.addEventListener('click', () => {
    localStorage.setItem(KEY, document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark')
    apply()
  })
  system.addEventListener('change', apply)
  apply()
}
