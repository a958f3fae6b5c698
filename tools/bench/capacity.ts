#!/usr/bin/env node
// npm run capacity: what 1,000, 30,000 and 1,000,000 connections need, from the benchmarks' figures
// (docs/benchmarks/*.json) and an assumed day (capacity/day.ts). Writes the tables of docs/operations/capacity.md, as
// every written benchmark does.
import { writeCapacity } from './capacity/write.ts'

process.stdout.write(await writeCapacity())
