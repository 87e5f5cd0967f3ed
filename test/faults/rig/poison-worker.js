/** Dogear's worker, which dies of some words of the model, whenever it hears them. */

const request = self.fetch

self.fetch = async (...args) => {
  const response = await request(...args)
  void listen(response.clone().body)
  return response
}

async function listen(body) {
  let words = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    words += piece
    if (words.includes('Invoice 13')) self.close()
  }
}

await import('/files/dogear-worker.js')
