import { Anchor, Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { CrashBoundary } from './crash.tsx'
import classes from './shell.module.css'

/** A place in a menu. */
export interface MenuItem {
  label: string
  /** Path below the application's base. */
  href: string
}

interface ShellProps {
  /** Name of the application. */
  name: string
  menu: readonly MenuItem[]
  /** Name of the signed-in user; null before the sign-in. */
  person: string | null
  onSignOut?: () => void
  children: ReactNode
}

/** The frame of every page: name, menu, signed-in user, and the page itself. */
export function Shell({ name, menu, person, onSignOut, children }: ShellProps) {
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <header className={classes.header}>
        <Text component="span" fw={700} className={classes.name}>
          {name}
        </Text>
        <Menu label="Main menu" items={menu} />
        {person !== null && (
          <div className={classes.person}>
            <Text size="sm" c="dimmed" className={classes.who}>
              {person}
            </Text>
            <Button variant="default" size="xs" onClick={onSignOut}>
              Sign out
            </Button>
          </div>
        )}
      </header>
      <main id="main" className={classes.main}>
        <CrashBoundary key={person}>{children}</CrashBoundary>
      </main>
    </div>
  )
}

/** Links of which the current one is marked. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [location] = useLocation()
  if (items.length === 0) return null
  const fitting = items.filter(({ href }) => location === href || (href !== '/' && location.startsWith(`${href}/`)))
  const current = fitting.sort((one, other) => other.href.length - one.href.length)[0]
  return (
    <nav aria-label={label} className={classes.menu}>
      {items.map((item) => (
        <Anchor
          key={item.href}
          component={Link}
          href={item.href}
          underline="never"
          className={classes.link}
          aria-current={item === current ? 'page' : undefined}
        >
          {item.label}
        </Anchor>
      ))}
    </nav>
  )
}
