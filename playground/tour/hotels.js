/** Two tools of a small travel site: one that looks, and one that asks before it acts. */

const hotels = [
  { id: 'casa-do-rio', name: 'Casa do Rio', area: 'Belém', price: 132 },
  { id: 'a-varanda', name: 'A Varanda', area: 'Alfama', price: 88 },
  { id: 'livraria', name: 'Hotel Livraria', area: 'Chiado', price: 154 },
]

export const searchHotels = {
  name: 'search_hotels',
  label: { ask: 'Search hotels', doing: 'Searching hotels', done: 'Searched hotels' },
  description: 'Finds hotels in a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, area: { type: 'string' } },
    required: ['city'],
  },
  effect: 'read',
  summary: (_, found) => `${found.length} found`,
  func: async ({ area }) => {
    await new Promise((resolve) => setTimeout(resolve, 900))
    return hotels.toSorted((a, b) => Number(b.area === area) - Number(a.area === area))
  },
}

export const bookHotel = {
  name: 'book_hotel',
  label: { ask: 'Book a room', doing: 'Booking a room', done: 'Booked a room' },
  description: 'Reserves the room in your name',
  parameters: {
    type: 'object',
    properties: {
      hotel: { type: 'string' },
      nights: { type: 'integer', minimum: 1 },
      checkIn: { type: 'string', format: 'date' },
    },
    required: ['hotel', 'nights', 'checkIn'],
  },
  needsApproval: true,
  summary: (_, booking) => booking.reference,
  func: async ({ hotel, nights, checkIn }, { idempotencyKey }) => {
    await new Promise((resolve) => setTimeout(resolve, 700))
    return { reference: `LX-${idempotencyKey.length}${nights}7`, hotel, nights, checkIn }
  },
}
