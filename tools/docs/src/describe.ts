import { readFileSync, writeFileSync } from 'node:fs'
import { generated } from './generated.js'

for (const { file, text } of await generated((path) => readFileSync(path, 'utf8'), 'dist')) writeFileSync(file, text)
