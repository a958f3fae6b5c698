// Turns all symptoms of a full disk (npm's ENOSPC, PostgreSQL's "No space left on device", an empty log) into one
// sentence.
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { root, stateDir } from '../config.mjs'

const FULL = /ENOSPC|EDQUOT|No space left on device|disk quota exceeded/i
const TOO_LITTLE = 8 * 1024 * 1024

function freeBytes(folder) {
  try {
    const { bsize, bavail, bfree, files, ffree } = fs.statfsSync(folder)
    if (files > 0 && ffree === 0) return 0
    return Number(bsize) * Number(process.getuid?.() === 0 ? bfree : bavail)
  } catch {
    return Infinity
  }
}

/** The sentence about the full disk, if `text` (an error or a log's end) or a folder we write to shows a full one. */
export function fullDisk(text = '', folders = [stateDir, root, tmpdir()]) {
  const full = folders.find((folder) => freeBytes(folder) < TOO_LITTLE)
  if (full) return `The disk that holds ${full} is full: make room (about 1 GB) and start again.`
  if (!FULL.test(text)) return undefined
  return `A disk is full (No space left on device): make room around ${stateDir} (about 1 GB) and start again.`
}

/** Watches the disks while a command runs: npm frees space before it reports that it failed on a full disk. */
export function watchDisk() {
  let sentence
  const timer = setInterval(() => {
    sentence ??= fullDisk()
  }, 250)
  timer.unref()
  return () => {
    clearInterval(timer)
    return sentence
  }
}
