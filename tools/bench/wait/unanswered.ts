// Floor of the memory of waiting requests: node:http keeps each and never answers. Asked for /count, it tells how many.
import { createServer, type ServerResponse } from 'node:http'
import { serve } from '../forked.ts'

const waiting: ServerResponse[] = []

serve(
  createServer((request, response) => {
    if (request.url === '/count') response.end(String(waiting.length))
    else waiting.push(response)
  }),
)
