/** The job every row does: one agent, one tool, the same words. */

export const instructions = 'You help people plan a trip. Look things up before you answer, and be brief.'
export const question = 'Three nights in Lisbon, somewhere quiet near the river, please.'

export const findHotels = {
  name: 'find_hotels',
  description: 'Finds hotels with free rooms in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 }, nights: { type: 'integer', minimum: 1 } },
    required: ['city', 'nights'],
    additionalProperties: false,
  },
}

/** @param {{ city: string, nights: number }} stay */
export function hotelsFor({ city, nights }) {
  return {
    city,
    nights,
    hotels: [
      { name: 'Casa do Rio', price: 96 },
      { name: 'Lume', price: 120 },
    ],
  }
}
