#!/usr/bin/env node
// npm run capacity: what 1,000, 30,000 and 1,000,000 connections need, from the benchmarks' figures (docs/benchmarks/*.json) and an
// assumed day (capacity/day.ts). Writes the tables of docs/operations/capacity.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { tables } from './capacity/page.ts'

const PAGE = join(import.meta.dirname, '../../docs/operations/capacity.md')
const BETWEEN = /(<!-- npm run capacity -->\n)[\s\S]*(\n<!-- until here -->)/

const page = readFileSync(PAGE, 'utf8')
const written = page.replace(BETWEEN, (_, begin: string, end: string) => `${begin}\n${tables()}${end}`)
writeFileSync(PAGE, await format(written, { ...(await resolveConfig(PAGE)), parser: 'markdown' }))
process.stdout.write(tables())
